package fix

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/manifest"
)

// change is what of an object is to change: one field gets a value, and one may go.
type change struct {
	// field is the last key of the path, and value what is there then.
	field, value string
	// gone is the key that goes; empty where none does.
	gone string
}

// only reports an error unless two texts differ in one document, and there in one change.
func only(file, before, after string, document int, c change) error {
	old, err := manifest.Parse(file, before)
	if err != nil {
		return err
	}
	now, err := manifest.Parse(file, after)
	if err != nil {
		return fmt.Errorf("what was written cannot be read: %w", err)
	}
	if len(old) != len(now) {
		return fmt.Errorf("there were %d objects, and now there are %d", len(old), len(now))
	}
	for i := range old {
		added, removed, err := differ(old[i], now[i])
		if err != nil {
			return err
		}
		if i != document && len(added)+len(removed) > 0 {
			return fmt.Errorf("another object changed: %s %s", old[i].Kind, old[i].Name)
		}
		if i == document && !c.is(added, removed) {
			return fmt.Errorf("more changed than was meant: %v became %v", removed, added)
		}
	}
	return nil
}

// is reports whether a difference is the change.
func (c change) is(added, removed map[string]string) bool {
	for path, value := range removed {
		empty := value == "null" || value == "{}" || value == "[]"
		key := path[strings.LastIndexAny(path, "/")+1:]
		if _, replaced := added[path]; !replaced && !empty && key != c.gone {
			return false
		}
	}
	if len(added) != 1 {
		return false
	}
	for path, value := range added {
		return value == c.value && slices.Contains(strings.Split(path, "/"), escaped(c.field))
	}
	return false
}

// differ are the leaves of two objects that are not the same. Elements of lists of words are
// told by what they are, not by where they stand.
func differ(a, b manifest.Doc) (added, removed map[string]string, err error) {
	before, err := leaves(a)
	if err != nil {
		return nil, nil, err
	}
	after, err := leaves(b)
	if err != nil {
		return nil, nil, err
	}
	added, removed = maps.Clone(after), maps.Clone(before)
	for path, value := range before {
		if after[path] == value {
			delete(added, path)
			delete(removed, path)
		}
	}
	return added, removed, nil
}

func leaves(d manifest.Doc) (map[string]string, error) {
	var tree any
	if err := json.Unmarshal(d.JSON, &tree); err != nil {
		return nil, err
	}
	out := map[string]string{}
	flatten("", tree, out)
	return out, nil
}

func flatten(path string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			flatten(path+"/"+escaped(key), value, out)
		}
		if len(v) == 0 {
			out[path] = "{}"
		}
	case []any:
		for i, value := range v {
			at := fmt.Sprint(i)
			if word, ok := value.(string); ok {
				at = "=" + escaped(word)
			}
			flatten(path+"/"+at, value, out)
		}
		if len(v) == 0 {
			out[path] = "[]"
		}
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			raw = []byte(fmt.Sprint(v))
		}
		out[path] = string(raw)
	}
}

func escaped(key string) string { return strings.ReplaceAll(key, "/", "~1") }
