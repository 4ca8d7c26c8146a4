package readiness

import (
	"testing"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/ownership"
)

// What others hold is read first, and Argo CD is not what the next step points at.
func TestHeldIsSaidFirst(t *testing.T) {
	d := ClaimDrain{ArgoCD: true, Known: true, Name: "Application shop.web in argocd", Says: "; it says DeletionError: no",
		Application: &Remains{Going: true, Finalizers: []string{argocd.FinalizerForeground}},
		Left: []Left{{Kind: "Service", Name: "web"}, {Kind: "Deployment", Name: "lock",
			Remains: Remains{Going: true, Finalizers: []string{"example.com/hold"}}}}}
	_, waits := d.Next()
	const want = "what was delivered is held: deployment/lock (being deleted; held by example.com/hold of the controller of example.com " +
		"until it has done its part); Application shop.web in argocd is being deleted; held by " + argocd.FinalizerForeground +
		" of Argo CD's application controller until what it delivered is gone; still live: service/web; it says DeletionError: no"
	if waits.Message != want {
		t.Errorf("it says %q, want %q", waits.Message, want)
	}
	if r := ownership.Reasons[waits.Reason]; r.Party != ownership.Shared || !r.Notable() {
		t.Errorf("%s is for %s to act on", waits.Reason, r.Party)
	}
}

// Secrets and ConfigMaps are not waited for; another group's kind of that name is.
func TestWatched(t *testing.T) {
	for kind, want := range map[[2]string]bool{
		{"", "Secret"}: false, {"", "ConfigMap"}: false, {"", "Service"}: true, {"apps", "Deployment"}: true, {"example.com", "Secret"}: true,
	} {
		if Watched(kind[0], kind[1]) != want {
			t.Errorf("%v: watched is %v", kind, !want)
		}
	}
}
