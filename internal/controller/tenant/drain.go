package tenant

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// recheck is for what no watch of ours sees: Applications that are not ours, and
// the namespace controller's count.
const recheck = 2 * time.Second

var (
	namespaceKind          = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	roleBindingKind        = schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}
	clusterRoleBindingKind = schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"}
)

// drain takes a Tenant down, one step a reconcile, each decided on what was read
// live just now. A read that fails ends it: nothing is deleted on a guess.
func (r *Reconciler) drain(ctx context.Context, t *v1alpha1.Tenant) (ctrl.Result, error) {
	if !slices.Contains(t.Finalizers, v1alpha1.FinalizerTenant) {
		return ctrl.Result{}, nil
	}
	state, err := kube.CRDState(ctx, r.Live, "tenants."+v1alpha1.GroupName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if state == kube.Going { // let go, not drained: the services stay
		return ctrl.Result{}, r.release(ctx, t)
	}
	left, err := r.gather(ctx, t)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("read what is left of Tenant %s: %w", t.Name, err)
	}
	step, waits := left.state.Next()
	if waits.Reason != "" {
		if err := r.writeStatus(ctx, t, readiness.Draining(readiness.ClaimsDrained, waits)); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.act(ctx, t, step, left); err != nil {
		return r.refused(ctx, t, err)
	}
	switch step {
	case readiness.AwaitClaims, readiness.ReleaseTenant: // a claim that goes wakes us
		return ctrl.Result{}, nil
	default:
		return ctrl.Result{RequeueAfter: recheck}, nil
	}
}

// refused says that a step was not allowed, and tries it again.
func (r *Reconciler) refused(ctx context.Context, t *v1alpha1.Tenant, err error) (ctrl.Result, error) {
	if trouble := outcome.Trouble(err, "ObjectTaken", "NamespaceTerminating"); trouble != nil {
		if err := r.writeStatus(ctx, t, readiness.Draining(readiness.ClaimsDrained, *trouble)); err != nil {
			return ctrl.Result{}, err
		}
	}
	return outcome.Result(err)
}

// remains is what is left of a Tenant: the facts, and the objects they speak of.
type remains struct {
	state                 readiness.TenantDrain
	project, namespace    *unstructured.Unstructured
	access, clusterAccess []unstructured.Unstructured
}

func (r *Reconciler) gather(ctx context.Context, t *v1alpha1.Tenant) (left remains, err error) {
	left.state.Team = t.Name
	if left.state.Claims, err = r.holdingClaims(ctx, t); err != nil || len(left.state.Claims) > 0 {
		return left, err
	}
	settings, err := r.settings(ctx)
	if err != nil {
		return left, err
	}
	ref := render.TenantRef(t)
	if r.ArgoCD.Present() {
		if left.state.Applications, err = r.applications(ctx, t, settings); err != nil {
			return left, err
		}
		project := kube.Named(argocd.ProjectKind, settings.ArgoCDNamespace, render.ProjectName(t.Name))
		if left.project, left.state.Project, err = r.ours(ctx, project, ref); err != nil {
			return left, err
		}
	}
	namespace := kube.Named(namespaceKind, "", v1alpha1.NamespaceOf(t.Name))
	if left.namespace, left.state.Namespace, err = r.ours(ctx, namespace, ref); err != nil {
		return left, err
	}
	if left.access, err = listOurs(ctx, r.Live, t, roleBindingKind); err != nil {
		return left, err
	}
	if left.clusterAccess, err = listOurs(ctx, r.Live, t, clusterRoleBindingKind); err != nil {
		return left, err
	}
	left.state.Access, left.state.ClusterAccess = len(left.access), len(left.clusterAccess)
	return left, nil
}

// holdingClaims lists the team's claims from the API server, by field selector.
func (r *Reconciler) holdingClaims(ctx context.Context, t *v1alpha1.Tenant) ([]string, error) {
	var list v1alpha1.ServiceClaimList
	if err := r.Live.List(ctx, &list, client.MatchingFields{"spec.team": t.Name}); err != nil {
		return nil, err
	}
	var names []string
	for _, c := range list.Items {
		if slices.Contains(c.Finalizers, v1alpha1.FinalizerClaim) {
			names = append(names, c.Name)
		}
	}
	return names, nil
}

// applications lists whatever is in the team's project: Argo CD could not remove
// what they delivered once the project is gone.
func (r *Reconciler) applications(ctx context.Context, t *v1alpha1.Tenant, s render.Settings) ([]string, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(argocd.GroupVersion.WithKind("ApplicationList"))
	if err := r.Live.List(ctx, list, client.InNamespace(s.ArgoCDNamespace)); err != nil {
		if meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, err
	}
	var names []string
	for _, app := range list.Items {
		if project, _, _ := unstructured.NestedString(app.Object, "spec", "project"); project == render.ProjectName(t.Name) {
			names = append(names, app.GetName())
		}
	}
	return names, nil
}

// ours reads an object live; what is not ours is as good as gone.
func (r *Reconciler) ours(ctx context.Context, like *unstructured.Unstructured, ref owner.Ref) (*unstructured.Unstructured, *readiness.Remains, error) {
	live, err := r.GetLive(ctx, like)
	if err != nil || live == nil || owner.Compare(live, ref) == owner.Foreign {
		return nil, nil, err
	}
	left := &readiness.Remains{Going: live.GetDeletionTimestamp() != nil, Finalizers: live.GetFinalizers()}
	if live.GetKind() == "Namespace" {
		var ns corev1.Namespace
		if err := convert(live, &ns); err != nil {
			return nil, nil, err
		}
		left.Conditions = ns.Status.Conditions
	}
	return live, left, nil
}

// act does one step.
func (r *Reconciler) act(ctx context.Context, t *v1alpha1.Tenant, step readiness.DrainStep, left remains) error {
	switch step {
	case readiness.DeleteProject:
		return r.deleteDrained(ctx, left.project, "no Application is left in it")
	case readiness.DeleteNamespace:
		return r.deleteDrained(ctx, left.namespace, "no claim, Application or AppProject of the team is left")
	case readiness.ReleaseAccess:
		return r.releaseAccess(ctx, left.access)
	case readiness.DeleteClusterAccess:
		for i := range left.clusterAccess {
			if err := r.Delete(ctx, &left.clusterAccess[i]); err != nil {
				return err
			}
		}
		return nil
	case readiness.ReleaseTenant:
		return r.release(ctx, t)
	default:
		return nil
	}
}

// deleteDrained marks what was seen to be drained and deletes that very object.
func (r *Reconciler) deleteDrained(ctx context.Context, live *unstructured.Unstructured, why string) error {
	if err := r.MarkDrained(ctx, live, why); err != nil {
		return client.IgnoreNotFound(err)
	}
	return r.Delete(ctx, live)
}

func (r *Reconciler) releaseAccess(ctx context.Context, bindings []unstructured.Unstructured) error {
	for i := range bindings {
		if err := r.remove(ctx, &bindings[i]); err != nil {
			return err
		}
	}
	return nil
}

// release takes our finalizer off the Tenant, at the version that was looked at.
func (r *Reconciler) release(ctx context.Context, t *v1alpha1.Tenant) error {
	live := &v1alpha1.Tenant{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(t), live); err != nil {
		return client.IgnoreNotFound(err)
	}
	if live.UID != t.UID {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(live.Finalizers), func(f string) bool { return f == v1alpha1.FinalizerTenant })
	return client.IgnoreNotFound(r.SetFinalizers(ctx, asUnstructured(live), rest))
}
