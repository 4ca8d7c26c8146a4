package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// op is one step of a JSON patch.
type op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// same compares decoded JSON; what is empty is as good as absent.
func same(a, b any) bool {
	a, b = plain(a), plain(b)
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return len(x) == 0 && b == nil
		}
		for _, key := range keys(x, y) {
			if !same(x[key], y[key]) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok {
			return len(x) == 0 && b == nil
		}
		return slices.EqualFunc(x, y, same)
	case nil:
		return b == nil || empty(b)
	default:
		return reflect.DeepEqual(a, b)
	}
}

func empty(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return v == nil
}

// plain makes the numbers that decoders hand out comparable.
func plain(v any) any {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case int:
		return float64(n)
	}
	return v
}

func keys(a, b map[string]any) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

// patch is what makes of what is live what is wanted, in as few and small steps as it can.
func patch(path string, live, want any) []op {
	if same(live, want) {
		return nil
	}
	if l, ok := live.(map[string]any); ok {
		if w, ok := want.(map[string]any); ok {
			return patchMap(path, l, w)
		}
	}
	if l, ok := live.([]any); ok {
		if w, ok := want.([]any); ok && len(w) > 0 {
			return patchList(path, l, w)
		}
	}
	switch {
	case want == nil:
		return []op{{"remove", path, nil}}
	case live == nil:
		return []op{{"add", path, want}}
	default:
		return []op{{"replace", path, want}}
	}
}

func patchMap(path string, live, want map[string]any) (ops []op) {
	for _, key := range keys(live, want) {
		l, is := live[key]
		w, wanted := want[key]
		at := path + "/" + escape(key)
		switch {
		case !wanted && is && !empty(l):
			ops = append(ops, op{"remove", at, nil})
		case wanted && !is && !empty(w):
			ops = append(ops, op{"add", at, w})
		case wanted && is:
			ops = append(ops, patch(at, l, w)...)
		}
	}
	return ops
}

// patchList changes what stands between the common head and the common tail. Each item
// that goes is named, so that the patch is refused where the list has changed meanwhile.
func patchList(path string, live, want []any) (ops []op) {
	head := 0
	for head < len(live) && head < len(want) && same(live[head], want[head]) {
		head++
	}
	tail := 0
	for tail < len(live)-head && tail < len(want)-head && same(live[len(live)-1-tail], want[len(want)-1-tail]) {
		tail++
	}
	out, in := live[head:len(live)-tail], want[head:len(want)-tail]
	if len(out) == len(in) {
		for i := range out {
			at := fmt.Sprintf("%s/%d", path, head+i)
			if empty(out[i]) || empty(in[i]) { // an item of a list is there though it is empty
				ops = append(ops, op{"replace", at, in[i]})
				continue
			}
			ops = append(ops, patch(at, out[i], in[i])...)
		}
		return ops
	}
	for i := len(out) - 1; i >= 0; i-- {
		at := fmt.Sprintf("%s/%d", path, head+i)
		ops = append(ops, op{"test", at, out[i]}, op{"remove", at, nil})
	}
	for i := range in {
		ops = append(ops, op{"add", fmt.Sprintf("%s/%d", path, head+i), in[i]})
	}
	return ops
}

func escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}
