package lab

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ArgoCDNamespace is where Applications lie.
const ArgoCDNamespace = "argocd"

var applicationKind = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}

// Chart is the Helm chart in Git that a service is rendered through.
type Chart struct{ RepoURL, Path, Revision string }

// step is one object of a claim. Its name begins the condition's type and reason.
type step struct {
	name   string
	object client.Object
	fill   func()
}

// steps are the claim's four objects, in order. The first three are the team's and the last is the service's.
func (r *Reconciler) steps(claim *ServiceClaim) []step {
	namespace := "team-" + claim.Spec.Team
	return []step{
		{"Namespace", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, func() {}},
		access(claim, namespace),
		quota(claim, namespace),
		r.application(claim, namespace),
	}
}

func access(claim *ServiceClaim, namespace string) step {
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "team-edit", Namespace: namespace}}
	return step{"Access", binding, func() {
		binding.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"}
		binding.Subjects = []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "team-" + claim.Spec.Team}}
	}}
}

// quota would have two claims of a team write their two budgets in turns, if a second one came this far.
func quota(claim *ServiceClaim, namespace string) step {
	budget := claim.Spec.Resources
	object := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "team-budget", Namespace: namespace}}
	return step{"Quota", object, func() {
		object.Spec.Hard = corev1.ResourceList{
			corev1.ResourceRequestsCPU:    budget.CPU,
			corev1.ResourceRequestsMemory: budget.Memory,
			corev1.ResourcePods:           *resource.NewQuantity(budget.Pods, resource.DecimalSI),
		}
	}}
}

func (r *Reconciler) application(claim *ServiceClaim, namespace string) step {
	app := &unstructured.Unstructured{}
	app.SetGroupVersionKind(applicationKind)
	app.SetNamespace(ArgoCDNamespace)
	app.SetName(claim.Name)
	return step{"Application", app, func() {
		app.Object["spec"] = map[string]any{
			"project":     "default",
			"destination": map[string]any{"server": "https://kubernetes.default.svc", "namespace": namespace},
			"syncPolicy":  map[string]any{"automated": map[string]any{"prune": true, "selfHeal": true}},
			"source": map[string]any{
				"repoURL": r.Chart.RepoURL, "path": r.Chart.Path, "targetRevision": r.Chart.Revision,
				"helm": map[string]any{"releaseName": claim.Name, "valuesObject": map[string]any{
					"team": claim.Spec.Team, "claim": claim.Name,
					"image": claim.Spec.Image, "replicas": int64(claim.Spec.Replicas),
				}},
			},
		}
	}}
}
