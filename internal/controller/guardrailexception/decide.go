package guardrailexception

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
)

// seen is what an exception depends on.
type seen struct {
	terms   guardrail.Terms
	unknown []string
	team    *readiness.TeamSeen
	// sets are what the policies read now.
	sets []v1alpha1.GuardrailSet
}

func (r *Reconciler) gather(ctx context.Context, e *v1alpha1.GuardrailException) (seen, error) {
	platform := &v1alpha1.Platform{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, platform); client.IgnoreNotFound(err) != nil {
		return seen{}, fmt.Errorf("read Platform: %w", err)
	}
	t, err := outcome.Team(ctx, r.Client, r.Live, e.Spec.Team)
	if err != nil {
		return seen{}, err
	}
	list := &unstructured.UnstructuredList{} // as its other readers have it cached
	list.SetGroupVersionKind(setKind.GroupVersion().WithKind(setKind.Kind + "List"))
	if err := r.Cached.List(ctx, list); err != nil {
		return seen{}, fmt.Errorf("list GuardrailSets: %w", err)
	}
	s := seen{terms: guardrail.TermsOf(platform), unknown: guardrail.UnknownRules(e.Spec.Rules), team: outcome.Seen(t)}
	for i := range list.Items {
		var set v1alpha1.GuardrailSet
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &set); err != nil {
			return seen{}, fmt.Errorf("read GuardrailSet %s: %w", list.Items[i].GetName(), err)
		}
		s.sets = append(s.sets, set)
	}
	return s, nil
}

// within is in how many of the sets an exception is.
func (s seen) within(e *v1alpha1.GuardrailException) (n int) {
	for _, set := range s.sets {
		if slices.ContainsFunc(guardrail.Read(set.Spec).Exceptions[e.Spec.Team], func(a guardrail.Allowed) bool { return a.Name == e.Name }) {
			n++
		}
	}
	return n
}

// writeStatus writes what was decided where it differs, and tells each step. living is nil
// where nobody looked; then what was found before stands.
func (r *Reconciler) writeStatus(ctx context.Context, e *v1alpha1.GuardrailException, granted readiness.Granted, waits *readiness.Trouble, living *readiness.Living) error {
	computed := readiness.ExceptionConditions(granted, e.Status.Conditions, waits, living)
	conditions, changed := readiness.Merge(e.Status.Conditions, computed, e.Generation, metav1.NewTime(r.Clock.Now()))
	names := e.Status.Living
	if living != nil {
		names = living.Objects
	}
	if !changed && e.Status.ObservedGeneration == e.Generation && outcome.SameLife(e.Status.Life, granted.Life) && slices.Equal(e.Status.Living, names) {
		return nil
	}
	status := v1alpha1ac.GuardrailExceptionStatus().WithObservedGeneration(e.Generation).WithLiving(names...)
	status.LifeApplyConfiguration = outcome.Life(granted.Life)
	for _, c := range conditions {
		status.WithConditions(outcome.Condition(c))
	}
	apply := v1alpha1ac.GuardrailException(e.Name).WithUID(e.UID).WithResourceVersion(e.ResourceVersion).WithStatus(status)
	if err := r.Client.Status().Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return outcome.Unwritten(err)
	}
	r.Writes.Note(kube.Key("GuardrailException", "", e.Name), ptr.Deref(apply.ResourceVersion, ""))
	outcome.Tell(r.Recorder, e, readiness.ExceptionSteps(granted, e.Status.Conditions, conditions, e.Status.Life))
	return nil
}
