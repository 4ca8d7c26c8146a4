package outcome

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

// longestNap is how long at most is waited for a moment: where the clock is put forward
// no watch wakes us.
const longestNap = time.Minute

// At looks again at a moment, by the operator's clock.
func At(next time.Time, now clock.PassiveClock) ctrl.Result {
	if next.IsZero() {
		return ctrl.Result{}
	}
	return ctrl.Result{RequeueAfter: min(longestNap, max(time.Millisecond, next.Sub(now.Now())))}
}

// Team reads a team's Tenant; nil is that there is none. That the cache shows none is
// not enough: what is asked for a team that is not there is refused for good.
func Team(ctx context.Context, cached, live client.Reader, team string) (*v1alpha1.Tenant, error) {
	t := &v1alpha1.Tenant{}
	err := cached.Get(ctx, types.NamespacedName{Name: team}, t)
	if apierrors.IsNotFound(err) {
		err = live.Get(ctx, types.NamespacedName{Name: team}, t)
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Tenant %s: %w", team, err)
	}
	return t, nil
}

// Seen is a Tenant as far as what is asked for it depends on it.
func Seen(t *v1alpha1.Tenant) *readiness.TeamSeen {
	if t == nil {
		return nil
	}
	return &readiness.TeamSeen{UID: string(t.UID), Going: t.DeletionTimestamp != nil}
}

// Tell says each step in an Event.
func Tell(recorder events.EventRecorder, o runtime.Object, steps []readiness.Said) {
	for _, s := range steps {
		kind := "Normal"
		if s.Warning {
			kind = "Warning"
		}
		recorder.Eventf(o, nil, kind, s.Reason, "Reconcile", "%s", s.Note)
	}
}

// Life is a life as it is applied.
func Life(l v1alpha1.Life) v1alpha1ac.LifeApplyConfiguration {
	ac := v1alpha1ac.LifeApplyConfiguration{ApprovedAt: l.ApprovedAt, Expires: l.Expires, EndedAt: l.EndedAt}
	if l.TenantUID != "" {
		ac.TenantUID = &l.TenantUID
	}
	return ac
}

// SameLife compares moments, whatever zone they are told in.
func SameLife(a, b v1alpha1.Life) bool {
	same := func(a, b *metav1.Time) bool {
		return a == nil && b == nil || a != nil && b != nil && a.Time.Equal(b.Time)
	}
	return same(a.ApprovedAt, b.ApprovedAt) && same(a.Expires, b.Expires) && same(a.EndedAt, b.EndedAt) && a.TenantUID == b.TenantUID
}

// TeamMoves lets only the events of Tenants through by which one comes, goes, or changes
// what it was granted.
type TeamMoves struct{}

// Create is one of them.
func (TeamMoves) Create(event.CreateEvent) bool { return true }

// Delete is one of them.
func (TeamMoves) Delete(event.DeleteEvent) bool { return true }

// Generic is none.
func (TeamMoves) Generic(event.GenericEvent) bool { return false }

// Update is one where the spec changed or the deletion began: both count as a generation.
func (TeamMoves) Update(e event.UpdateEvent) bool {
	return e.ObjectNew.GetGeneration() != e.ObjectOld.GetGeneration()
}
