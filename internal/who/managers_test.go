package who_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

// Who wrote is told by the whole name: anybody may choose one that begins like Demarc's.
func TestManagersByTheirWholeNames(t *testing.T) {
	for name, want := range map[string]string{
		"demarc-tenant": "Demarc's operator", "demarc-eyes-mallory": "", "demarc-": "", "demarc-cli": "a person with demarc", "demarc-cli-2": "",
		"kubectl-edit": "a person or a script with kubectl", "kubectl": "a person or a script with kubectl", "kubectl-mallory": "", "kubectlx": "",
		"argocd-controller": "Argo CD, from Git", "argocd-controller-x": "", "argocd-server": "Argo CD", "argocd-mallory": "",
		"kube-controller-manager": "Kubernetes' controllers", "kube-controller-manager-x": "", "helm": "a person or a script with Helm", "helm-x": "", "Mozillax": "",
	} {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetNamespace("n")
		o.SetName("c")
		o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: name, Operation: "Update"}})
		set := &snapshot.Set{}
		set.Add(o)
		asked, _ := who.ParseKind("configmap", set)
		asked.Namespace, asked.Name = "n", "c"
		changed := who.Decide(set, who.Question{Object: &asked, From: who.FromCluster}).Changed
		if len(changed) != 1 || changed[0].Is != want {
			t.Errorf("%s: it says %+v, want %q", name, changed, want)
		}
	}
}

// Every name under which the operator writes is among those that are known.
func TestManagersAreTheOperators(t *testing.T) {
	var found []string
	named := regexp.MustCompile(`(?m)^const (?:Manager|adopter) = "(demarc-[a-z]+)"$`)
	for _, pattern := range []string{"../controller/*/*.go", "../kube/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", pattern, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				found = append(found, m[1])
			}
		}
	}
	found = append(found, "demarc-operator") // the program's own name
	slices.Sort(found)
	if !slices.Equal(found, ownership.Managers) {
		t.Errorf("the operator writes as %q, and internal/ownership/managers.go has %q", found, ownership.Managers)
	}
}
