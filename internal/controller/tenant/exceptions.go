package tenant

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

// withExceptions adds how the exceptions of a team stand, where there is something to
// say. When one ends its status changes, which wakes us.
func (r *Reconciler) withExceptions(ctx context.Context, team string, conditions []metav1.Condition) ([]metav1.Condition, error) {
	var list v1alpha1.GuardrailExceptionList
	if err := r.Client.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("list GuardrailExceptions: %w", err)
	}
	theirs := slices.DeleteFunc(list.Items, func(e v1alpha1.GuardrailException) bool { return e.Spec.Team != team })
	if c, ok := readiness.TeamExceptions(theirs); ok {
		conditions = append(conditions, c)
	}
	return conditions, nil
}

func teamOfException(_ context.Context, o client.Object) []reconcile.Request {
	e, ok := o.(*v1alpha1.GuardrailException)
	if !ok {
		return nil
	}
	return request(e.Spec.Team)
}
