package contract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/contract"
)

// guarded are the resources that a policy of the chart looks at, without subresources.
func guarded(t *testing.T, file, policy string) (resources []string) {
	t.Helper()
	text, err := os.ReadFile("../../charts/demarc/templates/policies/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range strings.Split(string(text), "\n---\n") {
		doc = strings.ReplaceAll(doc, "  labels:\n    {{- include \"demarc.labels\" . | nindent 4 }}\n", "")
		doc = strings.ReplaceAll(doc, `{{ include "demarc.operator" . | quote }}`, `''`)
		var p admissionv1.ValidatingAdmissionPolicy
		if err := yaml.Unmarshal([]byte(doc), &p); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if p.Name != policy || p.Kind != "ValidatingAdmissionPolicy" {
			continue
		}
		for _, rule := range p.Spec.MatchConstraints.ResourceRules {
			for _, r := range rule.Resources {
				if !strings.Contains(r, "/") {
					resources = append(resources, rule.APIGroups[0]+"/"+r)
				}
			}
		}
	}
	slices.Sort(resources)
	return resources
}

func resourcesOf(t *testing.T, kinds []schema.GroupKind) (resources []string) {
	t.Helper()
	for _, gk := range kinds {
		k, ok := contract.ServedKind(gk)
		if !ok {
			t.Errorf("%s is no kind that is served", gk)
		}
		resources = append(resources, k.Group+"/"+k.Resource)
	}
	slices.Sort(resources)
	return resources
}

// A restart is given on no kind that the policy does not hold to a restart.
func TestRestartIsGuarded(t *testing.T) {
	if diff := cmp.Diff(guarded(t, "restart.yaml", "demarc-restart"), resourcesOf(t, contract.StandsOn("restart"))); diff != "" {
		t.Errorf("the policy looks at other kinds than those of the operation restart (-policy +operation)\n%s", diff)
	}
}

// A contract goes by Demarc's mark where the policy keeps it alone.
func TestMarksAreGuarded(t *testing.T) {
	if diff := cmp.Diff(guarded(t, "marks.yaml", "demarc-marks"), resourcesOf(t, contract.Marked)); diff != "" {
		t.Errorf("the policy keeps the marks on other kinds than a contract may go by them (-policy +contract)\n%s", diff)
	}
}

// Every operation is for kinds that are there: by a subresource in namespaces, by a verb
// of Demarc's own beyond them.
func TestOperationsHaveKinds(t *testing.T) {
	for _, name := range contract.Operations() {
		sub, verbs, _ := contract.Takes(name)
		if len(contract.StandsOn(name)) == 0 {
			t.Errorf("%s is for no kind", name)
		}
		for _, gk := range contract.StandsOn(name) {
			own := slices.ContainsFunc(verbs, func(v string) bool { return slices.Contains([]string{"deploy", "scale", "contact", "request"}, v) })
			if k, ok := contract.ServedKind(gk); !ok || k.Cluster != (sub == "" && own) {
				t.Errorf("%s (%s/%s) is for %s: served %v, without a namespace %v", name, verbs, sub, gk, ok, k.Cluster)
			}
		}
	}
}

// The page says of each operation what it is for.
func TestOperationsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/spec/ownershipcontract.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range contract.Operations() {
		var kinds []string
		for _, gk := range contract.StandsOn(name) {
			kinds = append(kinds, gk.String())
		}
		slices.Sort(kinds)
		if row := "\n| `" + name + "` | " + strings.Join(kinds, ", ") + " | "; !strings.Contains(string(page), row) {
			t.Errorf("docs/spec/ownershipcontract.md has no row that begins with %q", row)
		}
	}
}
