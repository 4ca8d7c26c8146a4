package tenant

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
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
func (r *Reconciler) drain(ctx context.Context, cached *v1alpha1.Tenant) (ctrl.Result, error) {
	t, err := r.going(ctx, cached)
	if err != nil || t == nil {
		return ctrl.Result{}, err
	}
	state, err := kube.CRDState(ctx, r.Live, "tenants."+v1alpha1.GroupName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if state == kube.Going { // let go, not drained: the services stay
		return ctrl.Result{}, r.release(ctx, t)
	}
	var step readiness.DrainStep
	var waits readiness.Trouble
	left, err := r.gather(ctx, t)
	if err == nil {
		step, waits = left.state.Next()
		err = r.act(ctx, t, step, left)
	}
	if err == nil && step == readiness.ReleaseTenant {
		if left.state.Force != "" {
			ctrl.LoggerFrom(ctx).Info(forced(left.state)) // an Event may not hold all of it
			r.Recorder.Eventf(t, nil, "Warning", "Forced", "Delete", "%s", forced(left.state))
		}
		return ctrl.Result{}, nil
	}
	return r.sayDraining(ctx, t, step, waits, err)
}

func forced(d readiness.TenantDrain) string {
	left := d.LeftBehind()
	if len(left) == 0 {
		return "forced (" + d.Force + "): nothing is left behind"
	}
	return fmt.Sprintf("forced (%s): left behind, and nobody's (%d): %s", d.Force, len(left), strings.Join(left, ", "))
}

// going is the Tenant as it is now, where it is still the one that is being deleted
// and still held by us: a cache may show one that was made anew since.
func (r *Reconciler) going(ctx context.Context, cached *v1alpha1.Tenant) (*v1alpha1.Tenant, error) {
	live := &v1alpha1.Tenant{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(cached), live); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if live.UID != cached.UID || live.DeletionTimestamp == nil || !slices.Contains(live.Finalizers, v1alpha1.FinalizerTenant) {
		return nil, nil
	}
	return live, nil
}

// sayDraining says what the Tenant waits for, or what refused a step, in one write.
func (r *Reconciler) sayDraining(ctx context.Context, t *v1alpha1.Tenant, step readiness.DrainStep, waits readiness.Trouble, refused error) (ctrl.Result, error) {
	if trouble := outcome.Trouble(refused, "ObjectTaken", "NamespaceTerminating"); trouble != nil {
		waits = *trouble
	} else if refused != nil && !r.patience.Spent(t.Name, refused, time.Now()) {
		return ctrl.Result{}, refused
	} else if refused != nil {
		waits = readiness.Trouble{Reason: "Retrying", Message: refused.Error()}
	}
	err := r.writeStatus(ctx, t, readiness.Draining(readiness.ClaimsDrained, waits), nil)
	switch {
	case err != nil || refused != nil:
		return outcome.Result(err, refused)
	case step == readiness.AwaitClaims: // a claim that goes wakes us
		return ctrl.Result{}, nil
	default:
		return ctrl.Result{RequeueAfter: recheck}, nil
	}
}

// act does one step.
func (r *Reconciler) act(ctx context.Context, t *v1alpha1.Tenant, step readiness.DrainStep, left remains) error {
	switch step {
	case readiness.DeleteOrphans:
		for i := range left.orphans {
			if err := r.DeleteApplication(ctx, &left.orphans[i], "its ServiceClaim is gone and its Tenant is being deleted"); err != nil {
				return err
			}
		}
		return nil
	case readiness.DeleteProject:
		return r.DeleteDrained(ctx, left.project, "no Application is left in it")
	case readiness.DeleteNamespace:
		return r.DeleteDrained(ctx, left.namespace, "no claim, Application or AppProject of the team is left")
	case readiness.ReleaseAccess, readiness.DeleteAccess:
		return r.removeAll(ctx, left.access)
	case readiness.DeleteKept:
		return r.removeAll(ctx, left.kept)
	case readiness.ReleaseNamespace:
		return client.IgnoreNotFound(r.Unadopt(ctx, left.namespace))
	case readiness.DeleteClusterAccess:
		return r.removeAll(ctx, left.clusterAccess)
	case readiness.ReleaseTenant:
		return r.release(ctx, t)
	default:
		return nil
	}
}

func (r *Reconciler) removeAll(ctx context.Context, objects []unstructured.Unstructured) error {
	for i := range objects {
		if err := r.remove(ctx, &objects[i]); err != nil {
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
	return client.IgnoreNotFound(r.SetFinalizers(ctx, kube.Untyped(live, v1alpha1.SchemeGroupVersion.WithKind("Tenant")), rest))
}
