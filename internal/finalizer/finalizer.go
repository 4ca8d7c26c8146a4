// Package finalizer knows who puts finalizers on objects, what each waits for and
// what may safely be done when one stays.
package finalizer

import (
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
)

// Holder is whoever put a finalizer on, and takes it off again.
type Holder struct {
	// Controller that takes it off.
	Controller string
	// Waits says what the controller does first, as "until …" would go on.
	Waits string
	// Next is the safe step where it stays.
	Next string
}

// Controllers that others name too.
const (
	Operator  = "Demarc's operator"
	ArgoCD    = "Argo CD's application controller"
	collector = "Kubernetes' garbage collector"
)

const (
	seeDemarc = "read the object's conditions; where they do not move see whether the operator runs (kubectl -n demarc-system get pods)"
	seeArgo   = "see whether Argo CD's application controller runs and what its conditions say; taking this finalizer off by hand leaves what was delivered behind"
)

// known lists finalizers that come with Kubernetes, Argo CD and what is common beside
// them. Source: each project's own documentation.
var known = map[string]Holder{
	v1alpha1.FinalizerClaim:  {Operator, "what the claim delivered is gone", seeDemarc},
	v1alpha1.FinalizerTenant: {Operator, "the team's claims, project and namespace are gone", seeDemarc},
	v1alpha1.FinalizerAccess: {Operator, "nothing else is left in the namespace, so that the team can mend what blocks", seeDemarc},
	v1alpha1.FinalizerGrant:  {Operator, "the access that it gave is gone", seeDemarc},

	argocd.FinalizerForeground:                          {ArgoCD, "what it delivered is gone", seeArgo},
	"resources-finalizer.argocd.argoproj.io":            {ArgoCD, "what it delivered is gone", seeArgo},
	"resources-finalizer.argocd.argoproj.io/background": {ArgoCD, "what it delivered is being deleted", seeArgo},
	"pre-delete-finalizer.argocd.argoproj.io":           {ArgoCD, "the PreDelete hooks in Git have succeeded", "see the hook's Job and mend it"},
	"pre-delete-finalizer.argocd.argoproj.io/cleanup":   {ArgoCD, "the PreDelete hooks are removed", "see the hook's Job and mend it"},
	"post-delete-finalizer.argocd.argoproj.io":          {ArgoCD, "the PostDelete hooks in Git have succeeded", "see the hook's Job and mend it"},
	"post-delete-finalizer.argocd.argoproj.io/cleanup":  {ArgoCD, "the PostDelete hooks are removed", "see the hook's Job and mend it"},

	"foregroundDeletion": {collector, "all that names it as its owner is gone", "delete what it owns; kubectl get all -n NAMESPACE shows it"},
	"orphan":             {collector, "all that names it as its owner was let go", "see whether kube-controller-manager runs"},
	"customresourcecleanup.apiextensions.k8s.io": {"Kubernetes' CRD controller", "every object of the kind is gone", "see what holds the objects of the kind"},
	"kubernetes":                                  {"Kubernetes' namespace controller", "nothing is left in the namespace", "read the namespace's conditions: they count what remains"},
	"kubernetes.io/pvc-protection":                {"Kubernetes' PVC protection controller", "no pod uses the volume", "delete the pods that use it"},
	"kubernetes.io/pv-protection":                 {"Kubernetes' PV protection controller", "no claim is bound to the volume", "delete the PersistentVolumeClaim first"},
	"batch.kubernetes.io/job-tracking":            {"Kubernetes' Job controller", "the pod is counted in its Job", "see whether kube-controller-manager runs"},
	"service.kubernetes.io/load-balancer-cleanup": {"the cloud's service controller", "the load balancer is taken down", "see the Service's events for what the cloud refuses"},
	"external-attacher":                           {"the storage driver's attacher", "the volume is detached", "see whether the storage driver runs"},
	"networking.k8s.io/ingress-finalizer":         {"the ingress controller", "its load balancer is taken down", "see the ingress controller's log"},
}

// Of says who holds by a finalizer. One that is not known is its domain's.
func Of(name string) Holder {
	if h, ok := known[name]; ok {
		return h
	}
	domain, _, qualified := strings.Cut(name, "/")
	if !qualified {
		domain = name
	}
	return Holder{
		Controller: "the controller of " + domain,
		Waits:      "it has done its part",
		Next:       "see whether that controller still runs; take the finalizer off by hand only when it is gone for good",
	}
}

// Held names who holds an object that is being deleted, in the words of a condition;
// since when is the condition's own time.
func Held(finalizers []string) string {
	var b strings.Builder
	for i, f := range finalizers {
		h := Of(f)
		if i == 0 {
			b.WriteString("; held by ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(f + " of " + h.Controller + " until " + h.Waits)
	}
	return b.String()
}
