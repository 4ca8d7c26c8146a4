package verify_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/internal/verify"
)

// A patch makes of any object any other, whatever is empty in either.
func TestPatchLeadsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live, want := maybe(tree(3)).Draw(t, "live"), maybe(tree(3)).Draw(t, "want")
		if verify.Same(live, want) {
			if ops := verify.Patch("/spec", live, want); len(ops) > 0 {
				t.Fatalf("what is the same is changed: %v", ops)
			}
			return
		}
		raw, err := json.Marshal(verify.Patch("/spec", live, want))
		if err != nil {
			t.Fatal(err)
		}
		change := testenv.Tampering{}
		if err := json.Unmarshal(raw, &change.Change); err != nil {
			t.Fatal(err)
		}
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "X"}}
		if live != nil {
			o.Object["spec"] = live
		}
		got, err := change.On(o)
		if err != nil {
			t.Fatalf("%v by %s", err, raw)
		}
		if !verify.Same(got.Object["spec"], want) {
			t.Fatalf("%v, not %v, by %s", got.Object["spec"], want, raw)
		}
	})
}

func maybe(g *rapid.Generator[any]) *rapid.Generator[any] {
	return rapid.OneOf(g, rapid.Just[any](nil))
}

// tree is what JSON may hold.
func tree(deep int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.Map(rapid.IntRange(0, 2), func(n int) any { return float64(n) }), rapid.Map(rapid.SampledFrom([]string{"", "a", "b/c~d"}), func(s string) any { return s }))
	if deep == 0 {
		return leaf
	}
	inner := tree(deep - 1)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(inner, 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b/c", "~"}), inner, 0, 3), func(m map[string]any) any { return m }))
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{"demarc:edit": "demarc:edit", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "größe": "'größe'"} {
		if got := verify.Word(in); got != want {
			t.Errorf("%q becomes %s, want %s", in, got, want)
		}
	}
	if m := verify.Command("x", "kubectl delete x '\u202e'"); m.Command != "" {
		t.Errorf("a name that turns the line around is in %q", m.Command)
	}
}
