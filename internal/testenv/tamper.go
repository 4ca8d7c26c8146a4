package testenv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/snapshot"
)

// Tampering is one object that somebody makes, changes or takes away.
type Tampering struct {
	// Object as it is written; of one that is changed or goes, who it is.
	Object snapshot.Object
	// Gone is that it is taken away.
	Gone bool
	// Change is a JSON patch of what is there; without one the object is made.
	Change []map[string]any
}

// Tamperings reads them: objects in YAML, with gone or change beside their metadata.
func Tamperings(text []byte) ([]Tampering, error) {
	objects, err := snapshot.Parse(text)
	if err != nil {
		return nil, err
	}
	var all []Tampering
	for _, o := range objects {
		t := Tampering{Object: o}
		t.Gone, _, _ = unstructured.NestedBool(o.Object, "gone")
		steps, _, _ := unstructured.NestedSlice(o.Object, "change")
		for _, s := range steps {
			t.Change = append(t.Change, s.(map[string]any))
		}
		delete(o.Object, "gone")
		delete(o.Object, "change")
		all = append(all, t)
	}
	return all, nil
}

// On is what becomes of an object that is there.
func (t Tampering) On(live snapshot.Object) (snapshot.Object, error) {
	raw, err := json.Marshal(live.Object)
	if err != nil {
		return nil, err
	}
	fresh := &unstructured.Unstructured{}
	if err := fresh.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	for _, step := range t.Change {
		path, _ := step["path"].(string)
		changed, err := stepped(fresh.Object, strings.Split(strings.TrimPrefix(path, "/"), "/"), fmt.Sprint(step["op"]), step["value"])
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", step["op"], path, err)
		}
		fresh.Object = changed.(map[string]any)
	}
	return fresh, nil
}

// stepped does one step of a JSON patch.
func stepped(node any, path []string, op string, value any) (any, error) {
	key := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch x := node.(type) {
	case map[string]any:
		x = maps.Clone(x)
		if len(path) > 1 {
			inner, err := stepped(x[key], path[1:], op, value)
			x[key] = inner
			return x, err
		}
		if _, there := x[key]; !there && op != "add" {
			return nil, fmt.Errorf("there is no %s", key)
		}
		if x[key] = value; op == "remove" {
			delete(x, key)
		}
		return x, nil
	case []any:
		return inList(slices.Clone(x), key, path, op, value)
	}
	return nil, fmt.Errorf("there is nothing at %s", key)
}

func inList(list []any, key string, path []string, op string, value any) (any, error) {
	if key == "-" {
		return append(list, value), nil
	}
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i > len(list) || i == len(list) && op != "add" {
		return nil, fmt.Errorf("there is no %s in a list of %d", key, len(list))
	}
	switch {
	case len(path) > 1:
		list[i], err = stepped(list[i], path[1:], op, value)
		return list, err
	case op == "add":
		return slices.Insert(list, i, value), nil
	case op == "remove":
		return slices.Delete(list, i, i+1), nil
	}
	list[i] = value
	return list, nil
}
