package guardrailexception

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/readiness"
)

// living looks what runs on an exception that has ended; nil is that there is nothing to
// look for, or that it was seen before that nothing does.
func (r *Reconciler) living(ctx context.Context, e *v1alpha1.GuardrailException, granted readiness.Granted, sets []v1alpha1.GuardrailSet) (*readiness.Living, error) {
	if !granted.Lapsed(granted.Conditions(e.Status.Conditions, nil)) || meta.IsStatusConditionTrue(e.Status.Conditions, readiness.Cleared) {
		return nil, nil
	}
	if len(sets) == 0 {
		return nil, nil // they are being made anew, and wake us
	}
	found := map[string]bool{}
	for _, id := range e.Spec.Rules {
		if guardrail.ModeOf(sets, id, e.Spec.Team) == v1alpha1.GuardrailOff || !guardrail.Known(id) {
			continue
		}
		objects, err := r.judged(ctx, e, id)
		if err != nil {
			return nil, err
		}
		broken, err := r.judge.breaking(id, e.Spec.Team, sets, objects, r.Clock.Now())
		if err != nil {
			return nil, fmt.Errorf("see what breaks rule %s: %w", id, err)
		}
		for _, o := range broken {
			found[o.GetKind()+" "+o.GetName()] = true
		}
	}
	names := slices.Sorted(maps.Keys(found))
	most := min(len(names), readiness.MostLiving)
	return &readiness.Living{Objects: names[:most], More: len(names) - most}, nil
}

// judged are the objects of a team that a rule judges and an exception was about. What a
// controller made of a template is left out: the template is there.
func (r *Reconciler) judged(ctx context.Context, e *v1alpha1.GuardrailException, id string) (out []*unstructured.Unstructured, err error) {
	which := []client.ListOption{client.InNamespace(v1alpha1.NamespaceOf(e.Spec.Team)), client.Limit(500)}
	if e.Spec.Selector != nil {
		which = append(which, client.MatchingLabels(e.Spec.Selector.Labels()))
	}
	for _, gvk := range kindsOf(id) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		for more := true; more; more = list.GetContinue() != "" {
			err := r.Live.List(ctx, list, append(slices.Clone(which), client.Continue(list.GetContinue()))...)
			if meta.IsNoMatchError(err) {
				break // whose definition is not installed
			}
			if err != nil {
				return nil, fmt.Errorf("list what is there of kind %s in team %s: %w", gvk.Kind, e.Spec.Team, err)
			}
			for i := range list.Items {
				if o := &list.Items[i]; metav1.GetControllerOf(o) == nil && o.GetDeletionTimestamp() == nil {
					out = append(out, o)
				}
			}
		}
	}
	return out, nil
}

// kindsOf are the kinds that a rule judges, as they are listed. The operator reads no
// Secrets, and of ConfigMaps Argo CD's alone.
func kindsOf(id string) (kinds []schema.GroupVersionKind) {
	rule, _ := guardrail.Find(id)
	known := contract.Known()
	for _, r := range rule.Resources() {
		for _, resource := range r.Resources {
			if strings.Contains(resource, "/") || resource == "secrets" || resource == "configmaps" {
				continue
			}
			i := slices.IndexFunc(known, func(k contract.Served) bool { return k.Group == r.APIGroups[0] && k.Resource == resource })
			if i >= 0 && !known[i].Cluster {
				kinds = append(kinds, schema.GroupVersionKind{Group: r.APIGroups[0], Version: r.APIVersions[0], Kind: known[i].Kind})
			}
		}
	}
	return kinds
}
