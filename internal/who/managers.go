package who

import "demarc.dev/demarc/internal/ownership"

const byKubectl, byArgoCD = "a person or a script with kubectl", "Argo CD"

// managers that are known, by their whole names. A writer names itself, so this says who it
// says it is; one that only begins like another is another.
var managers = func() map[string]string {
	is := map[string]string{
		"kubectl": byKubectl, "helm": "a person or a script with Helm", "Mozilla": "a person with a browser", "demarc-cli": "a person with demarc",
		"kube-apiserver": "the API server", "kube-controller-manager": "Kubernetes' controllers", "cloud-controller-manager": "the cloud's controllers",
		"kube-scheduler": "the scheduler", "kubelet": "the node's kubelet", "before-first-apply": "whoever wrote it before it was first applied",
		"argocd-controller": "Argo CD, from Git", "argocd-application-controller": byArgoCD, "argocd-applicationset-controller": byArgoCD,
		"argocd-server": byArgoCD, "argocd-repo-server": byArgoCD, "argocd-notifications": byArgoCD,
	}
	for _, verb := range []string{"annotate", "autoscale", "client-side-apply", "create", "edit", "expose", "label", "last-applied", "patch", "replace", "rollout", "run", "set", "taint"} {
		is["kubectl-"+verb] = byKubectl
	}
	for _, name := range ownership.Managers {
		is[name] = "Demarc's operator"
	}
	return is
}()
