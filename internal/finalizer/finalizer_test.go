package finalizer_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finalizer"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]string{
		v1alpha1.FinalizerClaim:        "Demarc's operator",
		argocd.FinalizerForeground:     "Argo CD's application controller",
		"foregroundDeletion":           "Kubernetes' garbage collector",
		"kubernetes.io/pvc-protection": "Kubernetes' PVC protection controller",
		"example.com/hold":             "the controller of example.com",
		"bare":                         "the controller of bare",
	} {
		h := finalizer.Of(name)
		if h.Controller != want || h.Waits == "" || h.Next == "" {
			t.Errorf("%s: %+v, want the controller %q, what it waits for and what to do", name, h, want)
		}
		if finalizer.Known(name) != !strings.HasPrefix(h.Controller, "the controller of ") {
			t.Errorf("%s: known is %v", name, finalizer.Known(name))
		}
	}
}

func TestHeld(t *testing.T) {
	if got := finalizer.Held(nil); got != "" {
		t.Errorf("nobody holds it, and it says %q", got)
	}
	got := finalizer.Held([]string{"example.com/hold", "foregroundDeletion"})
	for _, want := range []string{"held by example.com/hold of the controller of example.com until ", ", foregroundDeletion of Kubernetes' garbage collector until "} {
		if !strings.Contains(got, want) {
			t.Errorf("it says %q, without %q", got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	const object = "configmap lock -n team-shop"
	all := []string{"foregroundDeletion", "example.com/it's"}
	for name, want := range map[string]string{
		v1alpha1.FinalizerTenant:   "kubectl -n demarc-system get pods",
		argocd.FinalizerForeground: "kubectl get pods -A -l app.kubernetes.io/name=argocd-application-controller",
		"foregroundDeletion":       "kubectl describe " + object,
		"example.com/it's": "kubectl patch " + object + ` --type=json -p '[{"op":"test","path":"/metadata/finalizers/1","value":"example.com/it'\''s"},` +
			`{"op":"remove","path":"/metadata/finalizers/1"}]'`,
		"example.com/not-on-it": "",
	} {
		if got := finalizer.Command(name, object, all); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}
