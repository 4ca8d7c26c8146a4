package platform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/readiness"
)

var setKind = v1alpha1.SchemeGroupVersion.WithKind("GuardrailSet")

// guardrails says whether the policies read what this Platform says; another controller
// writes the sets.
func (r *Reconciler) guardrails(ctx context.Context, p *v1alpha1.Platform) (readiness.Step, error) {
	var tenants v1alpha1.TenantList
	if err := r.Client.List(ctx, &tenants); err != nil {
		return readiness.Step{}, fmt.Errorf("list Tenants: %w", err)
	}
	list := &unstructured.UnstructuredList{} // as its other reader has it cached
	list.SetGroupVersionKind(setKind.GroupVersion().WithKind(setKind.Kind + "List"))
	if err := r.Cached.List(ctx, list); err != nil {
		return readiness.Step{}, fmt.Errorf("list GuardrailSets: %w", err)
	}
	live := make([]v1alpha1.GuardrailSet, len(list.Items))
	for i := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &live[i]); err != nil {
			return readiness.Step{}, fmt.Errorf("read GuardrailSet %s: %w", list.Items[i].GetName(), err)
		}
	}
	want := guardrail.Sets(p, tenants.Items, nil)
	return readiness.Guardrails(p.Spec.Guardrails.Profile, want, live, guardrail.Unknowns(p, tenants.Items)), nil
}

// setsRecheck is when sets that were behind are looked at again where no event of theirs
// came.
const setsRecheck = 11 * time.Second

// onTheirWay says that the sets are behind for so short a time that saying so would only
// make the condition flap; their own event wakes us.
func (r *Reconciler) onTheirWay(guardrails readiness.Step) bool {
	var behind error
	if t := guardrails.Trouble; t != nil && t.Reason == "SetsBehind" {
		behind = errors.New(t.Message)
	}
	return !r.patience.Spent("guardrails", behind, time.Now()) && behind != nil
}

// comesOrGoes lets only the events through by which something begins or ends.
type comesOrGoes struct{}

func (comesOrGoes) Create(event.CreateEvent) bool   { return true }
func (comesOrGoes) Delete(event.DeleteEvent) bool   { return true }
func (comesOrGoes) Generic(event.GenericEvent) bool { return false }
func (comesOrGoes) Update(event.UpdateEvent) bool   { return false }
