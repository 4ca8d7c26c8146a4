package manifest_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/manifest"
)

// internal/cli/manifest tests what is read and what is refused; here it is taken apart.
func TestFaults(t *testing.T) {
	docs, err := manifest.Parse("f.yaml", "kind: A\napiVersion: v1\nmetadata: {name: a}\nkind: B\n---\n# c\nkind: Tenant\napiVersion: v1\nmetadata: {name: b}\nspec:\n  x: 1\n")
	if len(docs) != 1 || docs[0].Text != "   \n# c\nkind: Tenant\napiVersion: v1\nmetadata: {name: b}\nspec:\n  x: 1\n" {
		t.Fatalf("it reads %+v", docs)
	}
	var none struct {
		Kind       string            `json:"kind"`
		APIVersion string            `json:"apiVersion"`
		Metadata   map[string]string `json:"metadata"`
		Spec       struct{}          `json:"spec"`
	}
	all := errors.Join(err, docs[0].Decode(&none), nil, errors.New("else"))
	want := []*manifest.Fault{
		{Place: manifest.Place{File: "f.yaml", Document: 1, Line: 4}, Path: "kind", Text: "it is set twice"},
		{Place: manifest.Place{File: "f.yaml", Document: 2, Line: 11}, Object: "Tenant b", Path: "spec.x", Text: "there is no such field"},
		{Text: "else"},
	}
	if diff := cmp.Diff(want, manifest.Faults(all)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := manifest.Faults(nil); got != nil {
		t.Errorf("of nothing it makes %v", got)
	}
}
