package subset_test

import (
	"testing"

	"demarc.dev/demarc/internal/subset"
)

func TestWithin(t *testing.T) {
	type m = map[string]any
	for _, c := range []struct {
		name       string
		want, live any
		within     bool
	}{
		{"others' fields do not matter", m{"a": "1"}, m{"a": "1", "b": "2"}, true},
		{"a field of ours is missing", m{"a": "1"}, m{"b": "2"}, false},
		{"a field of ours differs", m{"a": "1"}, m{"a": "2"}, false},
		{"integers and floats of the same number", m{"n": int64(2)}, m{"n": 2.0}, true},
		{"the server drops what is empty", m{"selector": m{}}, m{}, true},
		{"lists in another order", []any{"a", "b"}, []any{"b", "a"}, false},
		{"a longer list", []any{"a"}, []any{"a", "b"}, false},
		{"defaults filled into list elements", []any{m{"kind": "Group"}}, []any{m{"kind": "Group", "apiGroup": "x"}}, true},
		{"a map where a list is", []any{"a"}, m{}, false},
	} {
		if got := subset.Within(c.want, c.live); got != c.within {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
