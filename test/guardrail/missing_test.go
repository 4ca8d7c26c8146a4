package guardrail

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/testenv"
)

// another is an API server of the test's own with the rules that it names and a team, and
// without what is missing.
func another(t *testing.T, rules []string, settings ...func(*envtest.Environment)) *testenv.Env {
	t.Helper()
	e, err := testenv.Start(false, settings...)
	must(t, err)
	t.Cleanup(func() { must(t, e.Stop()) })
	for _, ns := range []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "team-a", Labels: map[string]string{v1alpha1.LabelTenant: "a"}}}, {ObjectMeta: metav1.ObjectMeta{Name: "foreign"}}} {
		must(t, e.Client.Create(t.Context(), ns))
	}
	for _, o := range installed() {
		for _, id := range rules {
			name := "demarc-rule-" + id
			if o.GetName() == name || strings.HasPrefix(o.GetName(), name+"-") {
				must(t, e.Client.Create(t.Context(), o))
			}
		}
	}
	return e
}

// attempt makes an object in a namespace, without leaving it there.
func attempt(t *testing.T, c client.Client, ns string, o *unstructured.Unstructured) error {
	t.Helper()
	o = o.DeepCopy()
	o.SetNamespace(ns)
	return c.Create(t.Context(), o, client.DryRunAll)
}

// Without the set deny nobody knows what is allowed, and nothing is let into a team's
// namespace. Without warn or audit nothing happens. (Day 2, 0.4.)
func TestMissingSets(t *testing.T) {
	c := another(t, []string{"privileged", "image-tag"}).Client
	good, bad := example(t, ruleNamed(t, "privileged").Good), example(t, ruleNamed(t, "privileged").Bad)
	testenv.Eventually(t, func() error {
		err := attempt(t, c, "team-a", good)
		if err == nil || !strings.Contains(err.Error(), "no params found for policy binding with `Deny` parameterNotFoundAction") {
			return fmt.Errorf("without the set deny: %v", err)
		}
		return nil
	})
	for _, ns := range []string{"foreign", "kube-system", "default"} {
		must(t, attempt(t, c, ns, bad))
	}
	deny := &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: "deny"}, Spec: v1alpha1.GuardrailSetSpec{Rules: []string{"privileged"}}}
	must(t, c.Create(t.Context(), deny))
	passes(t, "with the set deny and without the others", func() error { return attempt(t, c, "team-a", good) })
	refuses(t, "privileged", "what deny lists", "", func() error { return attempt(t, c, "team-a", bad) })
	must(t, attempt(t, c, "team-a", example(t, ruleNamed(t, "image-tag").Bad))) // in no set: off

	// A mode changes while all is in use. (Day 2, 0.2e.)
	warn := deny.DeepCopy()
	warn.ObjectMeta = metav1.ObjectMeta{Name: "warn"}
	must(t, c.Create(t.Context(), warn))
	deny.Spec.Rules, deny.Spec.Except = []string{"image-tag"}, "image-tag/b\n"
	must(t, c.Update(t.Context(), deny))
	passes(t, "what warn lists", func() error { return attempt(t, c, "team-a", bad) })
	refuses(t, "image-tag", "what deny lists now", "", func() error { return attempt(t, c, "team-a", example(t, ruleNamed(t, "image-tag").Bad)) })
	deny.Spec.Rules, deny.Spec.Except = []string{"image-tag"}, "image-tag/a\n"
	must(t, c.Update(t.Context(), deny))
	passes(t, "a team that is excepted", func() error { return attempt(t, c, "team-a", example(t, ruleNamed(t, "image-tag").Bad)) })

	// The last use of a set goes and comes again: what it says now counts. (Day 2, 0.2a, which
	// ConfigMaps as parameters fail.)
	must(t, c.Delete(t.Context(), deny))
	testenv.Eventually(t, func() error {
		if err := attempt(t, c, "team-a", good); !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
			return fmt.Errorf("the set deny is gone, and: %v", err)
		}
		return nil
	})
	deny.ObjectMeta, deny.Spec.Except = metav1.ObjectMeta{Name: "deny"}, ""
	deny.Spec.Rules = []string{"privileged"}
	must(t, c.Create(t.Context(), deny))
	refuses(t, "privileged", "what deny lists again", "", func() error { return attempt(t, c, "team-a", bad) })
}

// Where the kind of the sets is missing, nothing is let into a team's namespace, and nothing
// is refused elsewhere. (Day 2, 0.2d.)
func TestMissingKind(t *testing.T) {
	e := another(t, []string{"privileged"}, func(e *envtest.Environment) { e.CRDDirectoryPaths, e.ErrorIfCRDPathMissing = nil, false })
	c := e.Client
	good, bad := example(t, ruleNamed(t, "privileged").Good), example(t, ruleNamed(t, "privileged").Bad)
	testenv.Eventually(t, func() error {
		err := attempt(t, c, "team-a", good)
		if err == nil || !strings.Contains(err.Error(), "failed to find resource referenced by paramKind") {
			return fmt.Errorf("without the kind: %v", err)
		}
		return nil
	})
	for _, ns := range []string{"foreign", "kube-system", "default"} {
		for _, o := range []*unstructured.Unstructured{good, bad} {
			if err := attempt(t, c, ns, o); err != nil {
				t.Errorf("in %s: %v", ns, err)
			}
		}
	}
	must(t, c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "team-a"}}))

	// It ends by itself when the kind and the set are there. (Day 2, 0.2b.)
	_, err := envtest.InstallCRDs(e.Config, envtest.CRDInstallOptions{Paths: []string{filepath.Join(testenv.Root(), "charts", "demarc", "crds")}, MaxTime: 3 * time.Minute})
	must(t, err)
	must(t, c.Create(t.Context(), &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: "deny"}, Spec: v1alpha1.GuardrailSetSpec{
		Rules: []string{"privileged"}}}))
	passes(t, "with the kind and the set", func() error { return attempt(t, c, "team-a", good) })
	refuses(t, "privileged", "with the kind and the set", "", func() error { return attempt(t, c, "team-a", bad) })
}

// The limits of a rule change while it is in use, and what was let in before stays.
func TestTightened(t *testing.T) {
	c := another(t, []string{"replica-max"}).Client
	set := &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: "deny"}, Spec: v1alpha1.GuardrailSetSpec{
		Rules: []string{"replica-max"}}}
	must(t, c.Create(t.Context(), set))
	d := example(t, ruleNamed(t, "replica-max").Bad)
	d.SetNamespace("team-a")
	passes(t, "without a limit", func() error { return c.Create(t.Context(), d) })
	ten := int32(10)
	set.Spec.Limits.Replicas = &ten
	must(t, c.Update(t.Context(), set))
	refuses(t, "replica-max", "with a limit", "at most 10 run at once", func() error { return attempt(t, c, "team-a", example(t, ruleNamed(t, "replica-max").Bad)) })
	must(t, unstructured.SetNestedField(d.Object, "x", "spec", "template", "metadata", "annotations", "note"))
	must(t, c.Update(t.Context(), d))
}
