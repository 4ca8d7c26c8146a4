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

// Fields are found by the paths in which policies name them.
func TestLineOf(t *testing.T) {
	docs, err := manifest.Parse("f.yaml", `apiVersion: v1
kind: Pod
metadata:
  name: a
  labels:
    example.com/team: shop
spec:
  containers:
    - name: web
      image: &image nginx
      ports:
        - containerPort: 80
          hostPort: 80
        - {name: admin, containerPort: 81}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        storageClassName: fast
  again: &pod
    x: 1
  alias: *pod
`)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"": 1, "metadata.labels[example.com/team]": 6, "metadata.labels.nowhere": 5, "metadata.labels[nowhere]": 5,
		"spec.containers[web].image": 10, "spec.containers[0].ports[80].hostPort": 13, "spec.containers[web].ports[admin]": 14,
		"spec.volumeClaimTemplates[data].spec.storageClassName": 18, "spec.containers[other].image": 8, "spec.alias.x": 20, "spec.containers[web": 9,
	} {
		if got := docs[0].LineOf(path); got != want {
			t.Errorf("%s is in line %d, want %d", path, got, want)
		}
	}
}
