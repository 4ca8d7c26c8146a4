package accessgrant

import (
	"context"
	"fmt"
	"time"

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
	asked := asked(g, render.SettingsOf(platform).MaxAccess)
	return readiness.Grant(asked, g.Status.Life, outcome.Seen(t), r.Clock.Now()), nil
}

// asked is what an AccessGrant asks for, and whether it may be at all.
func asked(g *v1alpha1.AccessGrant, limit time.Duration) readiness.Asked {
	a := readiness.Asked{
		What: fmt.Sprintf("%s in team %s for %s", g.Spec.Role, g.Spec.Team, subject(g)), Team: g.Spec.Team,
		Reason: g.Spec.Reason, RequestedBy: g.Spec.RequestedBy, Created: g.CreationTimestamp.Time,
		Approval: g.Spec.Approval, Revocation: g.Spec.Revocation,
	}
	d, err := time.ParseDuration(g.Spec.Duration)
	switch {
	case err != nil || d <= 0:
		a.Refused = &readiness.Trouble{Reason: "RequestUnreadable", Message: fmt.Sprintf("spec.duration %q is no duration", g.Spec.Duration)}
		d = time.Minute // one that came past the schema has an end all the same
	case d > limit:
		a.Refused = &readiness.Trouble{Reason: "DurationAboveLimit", Message: fmt.Sprintf("it asks for %s, and the platform gives access for %s at most", d, limit)}
	}
	a.For = d
	return a
}

func subject(g *v1alpha1.AccessGrant) string {
	switch s := g.Spec; {
	case s.User != "":
		return "user " + s.User
	case s.Group != "":
		return "group " + s.Group
	case s.ServiceAccount != nil:
		return "account " + s.ServiceAccount.Namespace + "/" + s.ServiceAccount.Name
	default:
		return "nobody"
	}
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
