package guardrail

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/testenv"
)

// before makes objects that a rule does not judge yet: in a namespace that becomes the
// team's afterwards.
func before(t *testing.T, rule string, objects ...*unstructured.Unstructured) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "before-"}}
	must(t, env.Client.Create(t.Context(), ns))
	for _, o := range objects {
		o.SetNamespace(ns.Name)
		must(t, env.Client.Create(t.Context(), o))
	}
	must(t, env.Client.Patch(t.Context(), ns, client.RawPatch(types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, v1alpha1.LabelTenant, rule))))
	r, ok := guardrail.Find(rule)
	if !ok {
		t.Fatalf("there is no rule %s", rule)
	}
	bad := example(t, r.Bad)
	bad.SetNamespace(ns.Name)
	bad.SetName("seen")
	testenv.Eventually(t, func() error {
		if err := env.Client.Create(t.Context(), bad.DeepCopy(), client.DryRunAll); !refusedBy(rule, err) {
			return fmt.Errorf("the namespace is not seen to be a team's: %v", err)
		}
		return nil
	})
}

// change writes what becomes of an object, without leaving it there where dry.
func change(t *testing.T, o *unstructured.Unstructured, edit func(*unstructured.Unstructured), options ...client.UpdateOption) error {
	t.Helper()
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(o.GroupVersionKind())
	must(t, env.Client.Get(t.Context(), client.ObjectKeyFromObject(o), live))
	edit(live)
	return env.Client.Update(t.Context(), live, options...)
}

// becomes the object of a text, in all but its metadata's own.
func becomes(text *unstructured.Unstructured) func(*unstructured.Unstructured) {
	return func(live *unstructured.Unstructured) {
		for key, value := range text.DeepCopy().Object {
			if key != "metadata" {
				live.Object[key] = value
			}
		}
		live.SetLabels(text.GetLabels())
		live.SetAnnotations(text.GetAnnotations())
	}
}

// What broke a rule before it was a rule can be labelled, mended, deleted; what was mended
// is not broken again.
func TestOldViolators(t *testing.T) {
	for _, r := range guardrail.Catalogue() {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			bad, good := example(t, r.Bad), example(t, r.Good)
			bad.SetFinalizers([]string{"demarc.dev/test"})
			before(t, r.ID, bad)
			if err := change(t, bad, func(o *unstructured.Unstructured) {
				must(t, unstructured.SetNestedField(o.Object, "unrelated", "metadata", "annotations", "note"))
			}); err != nil {
				t.Errorf("an unrelated change: %v", err)
			}
			if !slices.Contains([]string{"Pod", "Job", "PersistentVolumeClaim", "RoleBinding"}, bad.GetKind()) { // these do not change
				if err := change(t, bad, becomes(example(t, r.Bad))); err != nil {
					t.Errorf("written as it was: %v", err)
				}
				if err := change(t, bad, becomes(good)); err != nil {
					t.Errorf("mended: %v", err)
				}
				if err := change(t, bad, becomes(example(t, r.Bad))); !refusedBy(r.ID, err) {
					t.Errorf("broken again: %v", err)
				}
			}
			must(t, env.Client.Delete(t.Context(), bad, client.PropagationPolicy(metav1.DeletePropagationBackground)))
			if err := change(t, bad, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) }); err != nil {
				t.Errorf("let go of: %v", err)
			}
		})
	}
}

// What is there already does not excuse what comes beside it, and one of two can be
// mended.
func TestBesideAnOldViolation(t *testing.T) {
	for _, r := range guardrail.Catalogue() {
		if !slices.Contains(r.Targets, guardrail.Pods) || !inContainers(t, r) {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			named := func(text, name string) any {
				c := template(t, example(t, text))["spec"].(fields)["containers"].([]any)[0].(fields)
				c["name"] = name
				if r.ID == "host-port" && text == r.Bad { // each port is there once
					c["ports"].([]any)[0].(fields)["hostPort"] = int64(80 + len(name))
				}
				return c
			}
			two := example(t, r.Bad)
			with := func(list ...any) func(*unstructured.Unstructured) {
				return func(o *unstructured.Unstructured) {
					must(t, unstructured.SetNestedSlice(o.Object, list, "spec", "template", "spec", "containers"))
				}
			}
			with(named(r.Bad, "a"), named(r.Bad, "bb"))(two)
			before(t, r.ID, two)
			good := func(name string) any {
				c := named(r.Good, name).(fields)
				if r.ID == "run-as-non-root" { // the example says it of the pod
					c["securityContext"] = fields{"runAsUser": int64(10001)}
				}
				return c
			}
			if err := change(t, two, with(good("a"), named(r.Bad, "bb")), client.DryRunAll); err != nil {
				t.Errorf("one of two mended: %v", err)
			}
			if err := change(t, two, with(named(r.Bad, "bb"), named(r.Bad, "a")), client.DryRunAll); err != nil {
				t.Errorf("in another order: %v", err)
			}
			err := change(t, two, with(named(r.Bad, "a"), named(r.Bad, "bb"), named(r.Bad, "third")), client.DryRunAll)
			if !refusedBy(r.ID, err) {
				t.Fatalf("a third: %v", err)
			}
			if said := err.Error(); !strings.Contains(said, "[third]") || strings.Contains(said, "[a]") || strings.Contains(said, "[bb]") {
				t.Errorf("the third alone is new: %v", err)
			}
		})
	}
}
