// Package ownershipcontract keeps the admission policy that is compiled from the
// ownership contract, whether or not there is an OwnershipContract object, and says how
// the contract stands.
package ownershipcontract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/heartbeat"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/review"
)

// Manager is the field manager of what this controller writes.
const Manager = "demarc-contract"

// Kept are the kinds that are compiled and live in the cluster, roles and projects apart.
var Kept = []schema.GroupVersionKind{
	{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicy"},
	{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicyBinding"},
}

// Reconciler keeps what is compiled from the contract.
type Reconciler struct {
	kube.Ensurer
	Heart     *heartbeat.Heart
	Client    client.Client
	ArgoCD    *kube.ArgoCD
	Contracts *kube.Contracts
	Clock     clock.PassiveClock
	Recorder  events.EventRecorder
	// Discovery says which kinds are served.
	Discovery discovery.DiscoveryInterface
	// Reviews says how the API server answers.
	Reviews Reviews

	changed chan event.GenericEvent
	mu      sync.Mutex
	user    string
	lists   []*metav1.APIResourceList
	asked   time.Time
	// holds is when what was written last holds in every API server.
	holds time.Time
}

// Reviews is told what the API server answers to the questions that are made from a version
// of the contract, and calls when that changes.
type Reviews interface {
	Reviewed(version string) *readiness.Reviewed
	Follow(changed func())
}

// SetupWithManager wires what wakes the controller. It is woken once at the start,
// since the shipped contract is kept without an object too.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.changed = make(chan event.GenericEvent, 1)
	outcome.Wake(r.changed)
	b := ctrl.NewControllerManagedBy(mgr).Named("ownershipcontract").
		For(&v1alpha1.OwnershipContract{}).
		Watches(&v1alpha1.Platform{}, handler.EnqueueRequestsFromMapFunc(theOne), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Tenant{}, handler.EnqueueRequestsFromMapFunc(theOne), builder.WithPredicates(contacts{})).
		WatchesRawSource(source.Channel(r.changed, handler.EnqueueRequestsFromMapFunc(theOne)))
	for _, gvk := range Kept {
		like := kube.Like(gvk)
		b = b.Watches(&like, handler.EnqueueRequestsFromMapFunc(theOne))
	}
	if _, err := r.Heart.Build(b, r); err != nil {
		return err
	}
	r.ArgoCD.Follow(func() error { return nil }, func() { outcome.Wake(r.changed) })
	r.Reviews.Follow(func() { outcome.Wake(r.changed) })
	r.Contracts.OnChange(func() { outcome.Wake(r.changed) })
	return nil
}

func theOne(context.Context, client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: v1alpha1.ContractName}}}
}

// Reconcile keeps what is compiled, then says how the contract stands.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	if req.Name != v1alpha1.ContractName {
		return ctrl.Result{}, nil
	}
	defer func() {
		result, err = outcome.Overtaken(result, err)
		outcome.Count("ownershipcontract", result, err)
	}()
	agreed, invalid := r.Contracts.Current(ctx)
	if agreed == nil {
		return ctrl.Result{}, invalid
	}
	platform := &v1alpha1.Platform{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, platform); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("read Platform: %w", err)
	}
	followed, behind := r.Contracts.Followed(agreed)
	later, unguarded := r.boundary(ctx, agreed, platform)
	kept := errors.Join(unguarded, r.access(ctx, platform.Spec.Team))
	result, err = r.tell(ctx, readiness.Contract{
		Invalid: trouble(invalid), Compiled: compiled(kept, followed, behind),
		Nobody: r.nobody(ctx, platform), Falls: string(agreed.Unlisted().Modifies),
	}, agreed)
	if result == (ctrl.Result{}) && err == nil {
		result, err = outcome.Result(kept)
	}
	if err == nil && later > 0 && (result.RequeueAfter == 0 || result.RequeueAfter > later) {
		result.RequeueAfter = later
	}
	return result, err
}

// follows is what is said while the roles follow.
const follows = "RolesFollow"

// compiled is why what is made of the contract is not in place.
func compiled(kept error, followed bool, behind error) *readiness.Trouble {
	switch {
	case kept != nil:
		return trouble(kept)
	case followed:
		return nil
	case behind != nil:
		return trouble(behind)
	}
	return &readiness.Trouble{Reason: follows, Message: "admission keeps what the contract does, and the roles follow"}
}

// tell says how the contract stands, where there is an object to say it on.
func (r *Reconciler) tell(ctx context.Context, decided readiness.Contract, agreed *contract.Contract) (ctrl.Result, error) {
	o := &v1alpha1.OwnershipContract{}
	switch err := r.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.ContractName}, o); {
	case apierrors.IsNotFound(err):
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, err
	case r.Writes.Behind(kube.Key("OwnershipContract", "", o.Name), o.ResourceVersion):
		return ctrl.Result{RequeueAfter: kube.Lag}, nil
	case decided.Compiled != nil && decided.Compiled.Reason == follows && saysCompiled(o):
		return ctrl.Result{}, nil // a restart: it is said again once that is known, and changes nothing
	}
	var err error
	decided.Reviewed, decided.Before = r.Reviews.Reviewed(review.Version(o)), before(o)
	if decided.Unlisted, err = r.unlisted(agreed); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.writeStatus(ctx, o, decided.Decide())
}

// before is what was said of the answers to this very contract.
func before(o *v1alpha1.OwnershipContract) *metav1.Condition {
	c := meta.FindStatusCondition(o.Status.Conditions, readiness.Verified)
	if c == nil || c.ObservedGeneration != o.Generation {
		return nil
	}
	return c
}

// saysCompiled says whether this very contract was found to be in place before.
func saysCompiled(o *v1alpha1.OwnershipContract) bool {
	c := meta.FindStatusCondition(o.Status.Conditions, readiness.Compiled)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == o.Generation
}

// access binds the platform's groups to their role, and nobody where none is named.
func (r *Reconciler) access(ctx context.Context, team v1alpha1.PlatformTeam) error {
	if binding := render.PlatformAccess(team.Groups); binding != nil {
		_, _, err := r.Ensure(ctx, render.OnCall(binding, team.Contacts), render.PlatformRef)
		return err
	}
	live, err := r.GetLive(ctx, kube.Named(rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"), "", ownership.RolePlatform))
	if err != nil || live == nil || owner.Compare(live, render.PlatformRef) == owner.Foreign {
		return err
	}
	return r.Delete(ctx, live)
}

// whoami is whom the operator acts as: the API server says it, however it was started.
func (r *Reconciler) whoami(ctx context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.user != "" {
		return r.user, nil
	}
	review := &authenticationv1.SelfSubjectReview{}
	if err := r.Client.Create(ctx, review); err != nil {
		return "", fmt.Errorf("ask the API server who the operator is: %w", err)
	}
	r.user = review.Status.UserInfo.Username
	return r.user, nil
}

func trouble(err error) *readiness.Trouble {
	if err == nil {
		return nil
	}
	if t := outcome.Trouble(err, "BoundaryTaken", "Retrying"); t != nil {
		return t
	}
	return &readiness.Trouble{Reason: "Retrying", Message: err.Error()}
}

func (r *Reconciler) writeStatus(ctx context.Context, o *v1alpha1.OwnershipContract, computed []metav1.Condition) error {
	conditions, changed := readiness.Merge(o.Status.Conditions, computed, o.Generation, metav1.NewTime(r.Clock.Now()))
	if !changed && o.Status.ObservedGeneration == o.Generation {
		return nil
	}
	status := v1alpha1ac.OwnershipContractStatus().WithObservedGeneration(o.Generation)
	for _, c := range conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.OwnershipContract(o.Name).WithUID(o.UID).WithResourceVersion(o.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return outcome.Unwritten(err)
	}
	r.Writes.Note(kube.Key("OwnershipContract", "", o.Name), ptr.Deref(apply.ResourceVersion, ""))
	outcome.Announce(r.Recorder, o, o.Status.Conditions, conditions)
	return nil
}
