package guardrail

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
)

// What is being deleted acts as long as a finalizer holds it, and is judged as long. The
// finalizer itself goes whatever stands in it.
func TestBeingDeleted(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"hpa-max", "external-ips", "binding-subjects", "foreign-host"} {
		o, bad := example(t, ruleNamed(t, rule).Good), example(t, ruleNamed(t, rule).Bad)
		if o.GetKind() != bad.GetKind() {
			t.Fatalf("the examples of %s are of two kinds", rule)
		}
		o.SetNamespace(v1alpha1.NamespaceOf(rule))
		o.SetName("going")
		o.SetFinalizers([]string{"example.org/held"})
		must(t, env.Client.Create(t.Context(), o))
		must(t, env.Client.Delete(t.Context(), o))
		err := change(t, o, func(o *unstructured.Unstructured) {
			for _, part := range []string{"spec", "subjects"} {
				if value, there := bad.Object[part]; there {
					o.Object[part] = value
				}
			}
		})
		if !refusedBy(rule, err) {
			t.Errorf("%s: what is being deleted was changed: %v", rule, err)
		}
		must(t, change(t, o, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) }))
	}
}
