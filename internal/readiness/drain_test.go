package readiness

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
)

func remaining(resources, finalizers string) []corev1.NamespaceCondition {
	return []corev1.NamespaceCondition{
		{Type: corev1.NamespaceDeletionContentFailure, Status: corev1.ConditionFalse},
		{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: "Some resources are remaining: " + resources},
		{Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue, Message: "Some content in the namespace has finalizers remaining: " + finalizers},
	}
}

// O3: the order of a Tenant's deletion, step by step.
func TestO3TenantDrain(t *testing.T) {
	const bindings, ours = "rolebindings.rbac.authorization.k8s.io has 3 resource instances", "demarc.dev/access in 3 resource instances"
	all := TenantDrain{Team: "shop", Claims: []string{"a", "b"}, Applications: []string{"shop.a"},
		Project: &Remains{}, Namespace: &Remains{}, Access: 3, ClusterAccess: 2}
	for _, c := range []struct {
		name   string
		change func(*TenantDrain)
		want   DrainStep
		says   string
	}{
		{"claims first", func(*TenantDrain) {}, AwaitClaims, "a, b"},
		{"then Applications of claims that are gone", func(d *TenantDrain) { d.Claims, d.Orphans = nil, []string{"shop.x"} }, DeleteOrphans, "shop.x"},
		{"then Applications", func(d *TenantDrain) { d.Claims = nil }, AwaitApplications, "shop.a"},
		{"then the AppProject", func(d *TenantDrain) { d.Claims, d.Applications = nil, nil }, DeleteProject, ""},
		{"seen to be gone", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project = nil, nil, &Remains{Going: true, Finalizers: []string{"x/y"}}
		}, AwaitProject, "x/y"},
		{"then the namespace", func(d *TenantDrain) { d.Claims, d.Applications, d.Project = nil, nil, nil }, DeleteNamespace, ""},
		{"with what remains named", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Namespace = nil, nil, nil, &Remains{Going: true, Conditions: remaining("pods. has 1 resource instances, "+bindings, "example.com/hold in 1 resource instances, "+ours)}
		}, AwaitNamespace, "example.com/hold"},
		{"a failure to look is not emptiness", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project = nil, nil, nil
			d.Namespace = &Remains{Going: true, Conditions: append(remaining(bindings, ours),
				corev1.NamespaceCondition{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionTrue, Message: "Discovery failed"})}
		}, AwaitNamespace, "Discovery failed"},
		{"nothing counted yet", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Namespace = nil, nil, nil, &Remains{Going: true}
		}, AwaitNamespace, ""},
		{"access last of all in it", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Namespace = nil, nil, nil, &Remains{Going: true, Conditions: remaining(bindings, ours)}
		}, ReleaseAccess, ""},
		{"an adopted namespace stays, what is ours in it goes", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Adopted, d.Kept = nil, nil, nil, true, []string{"resourcequota/demarc"}
		}, DeleteKept, "resourcequota/demarc"},
		{"then the access to it", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Adopted = nil, nil, nil, true
		}, DeleteAccess, "stays"},
		{"then the marks on it", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Adopted, d.Access = nil, nil, nil, true, 0
		}, ReleaseNamespace, "stays"},
		{"an adopted one that somebody deletes goes", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Adopted, d.Namespace = nil, nil, nil, true, &Remains{Going: true}
		}, AwaitNamespace, ""},
		{"who holds the namespace is named", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project = nil, nil, nil
			d.Namespace = &Remains{Going: true, Conditions: remaining("pods. has 1 resource instances", "example.com/hold in 1 resource instances, "+ours)}
		}, AwaitNamespace, "example.com/hold is for the controller of example.com to take off"},
		{"force skips what blocks", func(d *TenantDrain) { d.Force = "why" }, DeleteClusterAccess, "why"},
		{"and lets access go that nobody else would", func(d *TenantDrain) {
			d.Force, d.Namespace = "why", &Remains{Going: true}
		}, ReleaseAccess, ""},
		{"to the end", func(d *TenantDrain) { d.Force, d.ClusterAccess = "why", 0 }, ReleaseTenant, ""},
		{"then the cluster's bindings", func(d *TenantDrain) {
			d.Claims, d.Applications, d.Project, d.Namespace = nil, nil, nil, nil
		}, DeleteClusterAccess, ""},
		{"then the Tenant", func(d *TenantDrain) { *d = TenantDrain{Team: "shop"} }, ReleaseTenant, ""},
	} {
		d := all
		c.change(&d)
		step, waits := d.Next()
		if step != c.want || !strings.Contains(waits.Message, c.says) {
			t.Errorf("%s: %s (%s), want %s with %q", c.name, step, waits.Message, c.want, c.says)
		}
	}
}

// O4: a claim's drain asks for nothing that may be gone.
func TestO4ClaimDrain(t *testing.T) {
	held := Remains{Going: true, Finalizers: []string{"example.com/hold"}}
	acts := &Remains{Going: true, Finalizers: []string{argocd.FinalizerForeground}}
	web, lock := Left{Kind: "Deployment", Name: "web"}, Left{Kind: "Service", Name: "lock", Remains: held}
	kept := Left{Kind: "Service", Name: "kept", Keeps: "Delete=false"}
	owns := Left{Kind: "Deployment", Name: "owns", Remains: Remains{Going: true, Finalizers: []string{"foregroundDeletion"}}}
	for _, c := range []struct {
		name string
		in   ClaimDrain
		want ClaimStep
		why  string
	}{
		{"the Application first", ClaimDrain{ArgoCD: true, Application: &Remains{}, Left: []Left{web}}, DeleteApplication, "ApplicationDeleting"},
		{"seen to be gone", ClaimDrain{ArgoCD: true, Application: &Remains{Going: true}}, AwaitApplication, "ApplicationDeleting"},
		{"with what is live named", ClaimDrain{ArgoCD: true, Application: &Remains{Going: true}, Known: true, Left: []Left{web}}, AwaitApplication, "ApplicationDeleting"},
		{"nobody acts, and all is gone by hand", ClaimDrain{ArgoCD: true, Application: acts, Known: true}, FreeApplication, "ApplicationDeleting"},
		{"what it delivered is seen to be gone", ClaimDrain{ArgoCD: true, Left: []Left{kept}}, AwaitObjects, "ObjectsRemain"},
		{"and overlooked: told again", ClaimDrain{ArgoCD: true, Left: []Left{kept, web}, Tries: 2}, TakeAgain, "ApplicationDeleting"},
		{"but not for ever", ClaimDrain{ArgoCD: true, Left: []Left{kept, web}, Tries: 3}, AwaitObjects, "ObjectsRemain"},
		{"nothing of Argo CD's to take off", ClaimDrain{ArgoCD: true, Application: &Remains{Going: true}, Known: true}, AwaitApplication, "ApplicationDeleting"},
		{"others hold the Application itself", ClaimDrain{ArgoCD: true, Application: &held, Known: true}, AwaitApplication, "ObjectsHeld"},
		{"others hold what Argo CD deletes", ClaimDrain{ArgoCD: true, Application: acts, Known: true, Left: []Left{web, lock}}, AwaitApplication, "ObjectsHeld"},
		{"Kubernetes holds it in passing", ClaimDrain{ArgoCD: true, Application: acts, Known: true, Left: []Left{owns}}, AwaitApplication, "ApplicationDeleting"},
		{"others hold what is left", ClaimDrain{ArgoCD: true, Known: true, Left: []Left{lock}}, AwaitObjects, "ObjectsHeld"},
		{"with Argo CD gone as well", ClaimDrain{Known: true, Left: []Left{lock}}, AwaitObjects, "ObjectsHeld"},
		{"and somebody is to delete another", ClaimDrain{ArgoCD: true, Known: true, Left: []Left{lock, kept}}, AwaitObjects, "ObjectsRemain"},
		{"no Argo CD to remove it", ClaimDrain{Left: []Left{web}}, AwaitObjects, "ArgoCDAbsent"},
		{"gone by any hand", ClaimDrain{}, ReleaseClaim, ""},
		{"released: the Application is let go first", ClaimDrain{ArgoCD: true, Release: "why", Application: &Remains{}, Left: []Left{web}}, KeepApplication, "Releasing"},
		{"released: then the claim", ClaimDrain{ArgoCD: true, Release: "why", Left: []Left{web}}, ReleaseClaim, ""},
		{"released too late", ClaimDrain{ArgoCD: true, Release: "why", Application: &Remains{Going: true}}, AwaitApplication, "ApplicationDeleting"},
		{"forced: the Application without what it delivered", ClaimDrain{ArgoCD: true, Force: "why", Application: &Remains{}}, ForceApplication, "Forced"},
		{"forced: though it is going", ClaimDrain{ArgoCD: true, Force: "why", Application: &Remains{Going: true, Finalizers: []string{argocd.FinalizerForeground}}}, ForceApplication, "Forced"},
		{"forced: held by somebody else", ClaimDrain{ArgoCD: true, Force: "why", Application: &Remains{Going: true, Finalizers: []string{"example.com/hold"}}}, ReleaseClaim, "Forced"},
		{"forced: what is live stays", ClaimDrain{Force: "why", Left: []Left{web}}, ReleaseClaim, "Forced"},
	} {
		if step, waits := c.in.Next(); step != c.want || waits.Reason != c.why {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, step, waits.Reason, c.want, c.why)
		}
	}
}

// A reason of any length can be said in a condition.
func TestReasonOn(t *testing.T) {
	for given, want := range map[string]string{
		" it hangs\n": "it hangs", " \t": "", strings.Repeat("ä", 20_000): strings.Repeat("ä", 512) + "…",
		"x" + strings.Repeat("ä", 20_000): "x" + strings.Repeat("ä", 511) + "…",
	} {
		o := &metav1.ObjectMeta{Annotations: map[string]string{v1alpha1.AnnotationForce: given}}
		if got := ReasonOn(o, v1alpha1.AnnotationForce); got != want {
			t.Errorf("%d bytes become %d, want %d", len(given), len(got), len(want))
		}
	}
}
