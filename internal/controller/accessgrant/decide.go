package accessgrant

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// decide gathers what an AccessGrant depends on, and asks what becomes of it.
func (r *Reconciler) decide(ctx context.Context, g *v1alpha1.AccessGrant) (readiness.Granted, error) {
	platform := &v1alpha1.Platform{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, platform); client.IgnoreNotFound(err) != nil {
		return readiness.Granted{}, fmt.Errorf("read Platform: %w", err)
	}
	t, err := outcome.Team(ctx, r.Client, r.Live, g.Spec.Team)
	if err != nil {
		return readiness.Granted{}, err
	}
	asked := readiness.AccessAsked(g, render.SettingsOf(platform).MaxAccess)
	return readiness.Grant(asked, g.Status.Life, outcome.Seen(t), r.Clock.Now()), nil
}

// writeStatus writes what was decided where it differs, and tells each step.
func (r *Reconciler) writeStatus(ctx context.Context, g *v1alpha1.AccessGrant, granted readiness.Granted, waits *readiness.Trouble) error {
	computed := granted.Conditions(g.Status.Conditions, waits)
	conditions, changed := readiness.Merge(g.Status.Conditions, computed, g.Generation, metav1.NewTime(r.Clock.Now()))
	if !changed && g.Status.ObservedGeneration == g.Generation && outcome.SameLife(g.Status.Life, granted.Life) {
		return nil
	}
	status := v1alpha1ac.AccessGrantStatus().WithObservedGeneration(g.Generation)
	status.LifeApplyConfiguration = outcome.Life(granted.Life)
	for _, c := range conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.AccessGrant(g.Name).WithUID(g.UID).WithResourceVersion(g.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return outcome.Unwritten(err)
	}
	r.Writes.Note(kube.Key("AccessGrant", "", g.Name), ptr.Deref(apply.ResourceVersion, ""))
	outcome.Tell(r.Recorder, g, granted.Steps(g.Status.Conditions, conditions, g.Status.Life))
	return nil
}
