package tenant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// keep brings a Tenant's space to what it asks for. All parts run even when one
// fails, so that one conflict hides no other; what lives in the namespace waits
// for it.
func (r *Reconciler) keep(ctx context.Context, t *v1alpha1.Tenant) (ctrl.Result, error) {
	if !slices.Contains(t.Finalizers, v1alpha1.FinalizerTenant) {
		if err := r.addFinalizer(ctx, t); err != nil {
			return ctrl.Result{}, err
		}
	}
	settings, err := r.settings(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	holds, raises, err := r.raised(ctx, t, settings)
	if err != nil {
		return ctrl.Result{}, err
	}
	space, err := render.Raised(t, holds, settings)
	if err != nil {
		invalid := readiness.Step{Trouble: &readiness.Trouble{Reason: "Invalid", Message: err.Error()}}
		all := readiness.Tenant{Name: t.Name, Namespace: invalid, Access: invalid, Quota: invalid, Project: invalid}
		return ctrl.Result{}, r.writeStatus(ctx, t, all.Decide(), nil)
	}
	p := parts{r: r, ctx: ctx, tenant: t, space: space, settings: settings}
	result := readiness.Tenant{Name: t.Name}
	result.Namespace = p.namespace()
	result.Access = p.within(result.Namespace, p.access)
	result.Quota = p.within(result.Namespace, p.quota)
	result.Project = p.within(result.Namespace, p.project)
	// What trying again may mend is said only when it lasts.
	if err := p.transient(); !r.patience.Spent(t.Name, err, time.Now()) && err != nil && len(t.Status.Conditions) > 0 {
		return outcome.Result(p.errs...)
	}
	if result.Quota.Trouble != nil {
		raises = t.Status.Raises // nothing was written: it is raised by what raised it before
	} else if len(raises) > 0 {
		result.Quota.Message += raisedBy(raises)
	}
	conditions, err := r.withExceptions(ctx, t.Name, result.Decide())
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.writeStatus(ctx, t, conditions, raises); err != nil {
		return ctrl.Result{}, err
	}
	return outcome.Result(p.errs...)
}

func (r *Reconciler) addFinalizer(ctx context.Context, t *v1alpha1.Tenant) error {
	u := kube.Untyped(t, v1alpha1.SchemeGroupVersion.WithKind("Tenant"))
	err := r.SetFinalizers(ctx, u, append(slices.Clone(t.Finalizers), v1alpha1.FinalizerTenant))
	if err == nil {
		r.fresh.Note(t.Name, t.DeepCopy(), time.Now())
	}
	t.ResourceVersion = u.GetResourceVersion() // the status is written to the version that is there now
	return err
}

// settings are the Platform's, and what Argo CD's own configuration says.
func (r *Reconciler) settings(ctx context.Context) (render.Settings, error) {
	p := &v1alpha1.Platform{}
	err := r.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, p)
	if apierrors.IsNotFound(err) {
		p = nil
	} else if err != nil {
		return render.Settings{}, fmt.Errorf("read Platform: %w", err)
	}
	s := render.SettingsOf(p)
	cm := &corev1.ConfigMap{}
	err = r.Client.Get(ctx, types.NamespacedName{Namespace: s.ArgoCDNamespace, Name: argocd.ConfigMap}, cm)
	if client.IgnoreNotFound(err) != nil {
		return render.Settings{}, fmt.Errorf("read Argo CD's settings: %w", err)
	}
	s.Impersonation = cm.Data[argocd.ImpersonationKey] == "true"
	if s.Contract, err = r.Contracts.Current(ctx); s.Contract == nil {
		return render.Settings{}, err
	}
	return s, nil
}

// parts runs the parts of one Tenant and collects their errors.
type parts struct {
	r        *Reconciler
	ctx      context.Context
	tenant   *v1alpha1.Tenant
	space    render.Space
	settings render.Settings
	errs     []error
}

func (p *parts) transient() error {
	for _, err := range p.errs {
		if kube.KindOf(err) == kube.Transient {
			return err
		}
	}
	return nil
}

// ensure brings objects to what was rendered; the first that fails ends the part.
func (p *parts) ensure(taken string, objects ...render.Object) *readiness.Trouble {
	_, trouble := p.ensureLast(taken, objects...)
	return trouble
}

func (p *parts) ensureLast(taken string, objects ...render.Object) (live *unstructured.Unstructured, trouble *readiness.Trouble) {
	for _, o := range objects {
		var change kube.Change
		var err error
		live, change, err = p.r.Ensure(p.ctx, o, render.TenantRef(p.tenant))
		if err != nil {
			return live, p.trouble(err, taken)
		}
		p.r.say(p.tenant, change, kube.Name(o))
	}
	return live, nil
}

// trouble keeps an error for the result and sorts it for the condition.
func (p *parts) trouble(err error, taken string) *readiness.Trouble {
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		err = &kube.TerminatingError{Object: "namespace/" + v1alpha1.NamespaceOf(p.tenant.Name)}
	}
	p.errs = append(p.errs, err)
	if t := outcome.Trouble(err, taken, "NamespaceTerminating"); t != nil {
		return t
	}
	return &readiness.Trouble{Reason: "Retrying", Message: err.Error()}
}

// within runs a part that lives in the namespace, once it is there.
func (p *parts) within(namespace readiness.Step, part func() readiness.Step) readiness.Step {
	if namespace.Trouble != nil {
		return readiness.Step{Trouble: &readiness.Trouble{Reason: "WaitingForNamespace",
			Message: "it belongs into namespace " + v1alpha1.NamespaceOf(p.tenant.Name)}}
	}
	return part()
}

func (p *parts) namespace() readiness.Step {
	name := v1alpha1.NamespaceOf(p.tenant.Name)
	if err := p.stillAsked(); err != nil {
		return readiness.Step{Trouble: p.trouble(err, "NamespaceTaken")}
	}
	if err := p.adopt(); err != nil {
		return readiness.Step{Trouble: p.trouble(err, "NamespaceTaken")}
	}
	if trouble := p.ensure("NamespaceTaken", p.space.Namespace); trouble != nil {
		return readiness.Step{Trouble: trouble}
	}
	if trouble := p.ensure("ObjectTaken", p.space.Isolation); trouble != nil {
		return readiness.Step{Trouble: trouble}
	}
	return readiness.Step{Reason: "NamespaceReady", Message: "namespace " + name + " is there, isolated from other teams"}
}

// adopt takes over a namespace that is there and nobody's in Demarc, where the
// Tenant asks for it. The cache sees only what is ours already.
func (p *parts) adopt() error {
	if !p.tenant.Spec.Adopt {
		return nil
	}
	name := client.ObjectKeyFromObject(p.space.Namespace)
	if err := p.r.Cached.Get(p.ctx, name, kube.Named(namespaceKind, "", name.Name)); !apierrors.IsNotFound(err) {
		return err
	}
	live, err := p.r.GetLive(p.ctx, p.space.Namespace)
	if err != nil || live == nil {
		return err
	}
	if live.GetLabels()[v1alpha1.LabelOwner] != "" || live.GetLabels()[v1alpha1.LabelTenant] != "" {
		return nil // somebody's: what follows says whose
	}
	if live.GetDeletionTimestamp() != nil {
		return &kube.TerminatingError{Object: kube.Name(live)}
	}
	if err := p.r.Adopt(p.ctx, live, p.space.Namespace); err != nil {
		return err
	}
	p.r.Recorder.Eventf(p.tenant, nil, "Normal", "Adopted", "Reconcile", "namespace %s was there already and is kept from now on; it stays when the Tenant goes", name.Name)
	return nil
}

// stillAsked looks at the Tenant itself before its namespace is made: a cache may
// show one that is gone, and nobody could delete what is made for it.
func (p *parts) stillAsked() error {
	err := p.r.Cached.Get(p.ctx, client.ObjectKeyFromObject(p.space.Namespace), kube.Named(namespaceKind, "", p.space.Namespace.GetName()))
	if !apierrors.IsNotFound(err) {
		return err
	}
	live := &v1alpha1.Tenant{}
	if err := p.r.Live.Get(p.ctx, client.ObjectKeyFromObject(p.tenant), live); err != nil {
		return err
	}
	if live.UID != p.tenant.UID || live.DeletionTimestamp != nil {
		return fmt.Errorf("tenant %s is not what the cache shows; looking again", p.tenant.Name)
	}
	return nil
}

func (p *parts) quota() readiness.Step {
	if p.space.Quota == nil {
		if err := p.prune([]render.Object{}, "LimitRange", "ResourceQuota"); err != nil {
			return readiness.Step{Trouble: p.trouble(err, "ObjectTaken")}
		}
		return readiness.Step{Reason: "NoBudget", Message: "no budget was set: the team's use is not limited"}
	}
	live, trouble := p.ensureLast("ObjectTaken", p.space.Limits, p.space.Quota)
	if trouble != nil {
		return readiness.Step{Trouble: trouble}
	}
	return quotaStep(p.space.Quota, live)
}

// quotaStep reads what the quota controller counted: until it has, the API server
// refuses pods for want of figures.
func quotaStep(desired, live *unstructured.Unstructured) readiness.Step {
	var want, have corev1.ResourceQuota
	if err := errors.Join(convert(desired, &want), convert(live, &have)); err != nil {
		return readiness.Step{Trouble: &readiness.Trouble{Reason: "Invalid", Message: err.Error()}}
	}
	for name := range want.Spec.Hard {
		// An older figure is counted too, and enforced until the new one is.
		if _, counted := have.Status.Hard[name]; !counted {
			return readiness.Step{Trouble: &readiness.Trouble{Reason: "QuotaNotCounted", Message: "the cluster has not counted the budget's use yet"}}
		}
	}
	if over := overdrawn(have.Status); over != "" {
		return readiness.Step{Reason: "BelowUsage", Message: "the budget is below what is in use (" + over + "): nothing is evicted, nothing new is admitted"}
	}
	return readiness.Step{Reason: "QuotaReady", Message: "the budget is enforced"}
}

func (p *parts) project() readiness.Step {
	// Only its own kind: where that of the Applications is being deleted, Argo CD needs
	// the project to remove what they delivered.
	if served, err := p.r.ArgoCD.Projects(p.ctx); err != nil || !served {
		if err != nil {
			return readiness.Step{Trouble: p.trouble(err, "ProjectTaken")}
		}
		return readiness.Step{Trouble: &readiness.Trouble{Reason: "ArgoCDAbsent", Message: "Argo CD's CRDs are not installed, so there can be no project"}}
	}
	if p.space.Project == nil {
		return readiness.Step{Trouble: &readiness.Trouble{Reason: "ContractInvalid", Message: "what Git may deliver is not said: OwnershipContract/default contradicts itself"}}
	}
	if p.settings.Chart == nil {
		if err := p.keepRepositories(); err != nil {
			return readiness.Step{Trouble: p.trouble(err, "ProjectTaken")}
		}
	}
	if trouble := p.ensure("ProjectTaken", p.space.Project); trouble != nil {
		return readiness.Step{Trouble: trouble}
	}
	if !p.settings.Impersonation {
		return readiness.Step{Reason: "ImpersonationOff", Message: "Argo CD does not act as the team's ServiceAccount (" + argocd.ImpersonationKey +
			" in argocd-cm is not true): Role and RoleBinding are left out of what Git may deliver"}
	}
	return readiness.Step{Reason: "ProjectReady", Message: "Argo CD delivers into this namespace alone, as " + p.space.Account.GetName()}
}

// keepRepositories leaves the project the repositories it has while no Platform
// names the chart: what was delivered from there runs on.
func (p *parts) keepRepositories() error {
	live := kube.Named(argocd.ProjectKind, p.space.Project.GetNamespace(), p.space.Project.GetName())
	if err := p.r.Cached.Get(p.ctx, client.ObjectKeyFromObject(live), live); err != nil {
		return client.IgnoreNotFound(err)
	}
	return render.KeepRepositories(p.space.Project, p.tenant, p.settings, live)
}

func convert(u *unstructured.Unstructured, into any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into)
}
