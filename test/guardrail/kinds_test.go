package guardrail

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// Every kind that runs pods is judged by every rule about pods, and the message names the
// place in that kind.
func TestEveryKind(t *testing.T) {
	for _, r := range guardrail.Catalogue() {
		if !slices.Contains(r.Targets, guardrail.Pods) || r.ID == "storage-class" { // its pods are in the table of cases
			continue
		}
		for _, s := range shapes {
			t.Run(r.ID+" "+s.kind, func(t *testing.T) {
				t.Parallel()
				bad, good := s.of(template(t, example(t, r.Bad))), s.of(template(t, example(t, r.Good)))
				if r.ID == "required-labels" {
					good.SetLabels(example(t, r.Good).GetLabels())
				}
				if err := create(t, r.ID, good); err != nil {
					t.Errorf("the good one: %v", err)
				}
				err := create(t, r.ID, bad)
				if !refusedBy(r.ID, err) {
					t.Fatalf("the bad one: %v", err)
				}
				where := s.path
				if strings.HasSuffix(r.ID, "-label") || strings.HasSuffix(r.ID, "-labels") {
					where = "metadata."
				}
				if !strings.Contains(err.Error(), where) {
					t.Errorf("it does not name %s: %v", where, err)
				}
			})
		}
	}
}

// Init containers are judged as the others are.
func TestInitContainers(t *testing.T) {
	for _, r := range guardrail.Catalogue() {
		if !slices.Contains(r.Targets, guardrail.Pods) || !inContainers(t, r) {
			continue
		}
		for _, restart := range []string{"", "Always"} { // the latter is a sidecar
			if r.ID == "probe-host" && restart == "" {
				continue // only sidecars have probes
			}
			t.Run(r.ID+" "+restart, func(t *testing.T) {
				t.Parallel()
				for text, good := range map[string]bool{r.Good: true, r.Bad: false} {
					pod := template(t, example(t, text))
					spec := pod["spec"].(fields)
					moved := spec["containers"].([]any)[0].(fields)
					moved["name"] = "first"
					if restart != "" {
						moved["restartPolicy"] = restart
					}
					spec["initContainers"] = []any{moved}
					spec["containers"] = template(t, example(t, r.Good))["spec"].(fields)["containers"]
					err := create(t, r.ID, shapes[2].of(pod))
					switch {
					case good && err != nil:
						t.Errorf("a good one: %v", err)
					case !good && (!refusedBy(r.ID, err) || !strings.Contains(err.Error(), ".initContainers[first].")):
						t.Errorf("a bad one: %v", err)
					}
				}
			})
		}
	}
}

// inContainers says whether what is bad of an example is within its container.
func inContainers(t *testing.T, r guardrail.Rule) bool {
	t.Helper()
	return strings.Contains(create(t, r.ID, example(t, r.Bad)).Error(), ".containers[")
}

func example(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o, err := guardrail.Example(text)
	must(t, err)
	return o
}

// create tries an object in a team's namespace, without leaving it there.
func create(t *testing.T, team string, o *unstructured.Unstructured) error {
	t.Helper()
	o = o.DeepCopy()
	o.SetNamespace(v1alpha1.NamespaceOf(team))
	return env.Client.Create(t.Context(), o, client.DryRunAll)
}
