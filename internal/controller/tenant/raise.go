package tenant

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"demarc.dev/demarc/api/v1alpha1"
	v1alpha1ac "demarc.dev/demarc/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// raised is the budget that holds while BudgetRequests raise it. When one ends its status
// changes, which wakes us.
func (r *Reconciler) raised(ctx context.Context, t *v1alpha1.Tenant, s render.Settings) (*v1alpha1.Budget, []v1alpha1.TenantRaise, error) {
	var list v1alpha1.BudgetRequestList
	if err := r.Client.List(ctx, &list, client.MatchingFields{outcome.OpenOfTeam: t.Name}); err != nil {
		return nil, nil, fmt.Errorf("list BudgetRequests: %w", err)
	}
	holds, raises := readiness.Raised(t, s.Ceiling, list.Items, r.Clock.Now())
	return holds, raises, nil
}

// raisedBy names what raises a budget, for the condition.
func raisedBy(raises []v1alpha1.TenantRaise) string {
	names := make([]string, 0, len(raises))
	for _, raise := range raises {
		names = append(names, raise.Request)
	}
	return "; raised by BudgetRequest " + strings.Join(names, ", ")
}

func raiseOf(raise v1alpha1.TenantRaise) *v1alpha1ac.TenantRaiseApplyConfiguration {
	ac := v1alpha1ac.TenantRaise().WithRequest(raise.Request).WithBudget(raise.Budget)
	ac.Until = raise.Until
	return ac
}

func teamOfRequest(_ context.Context, o client.Object) []reconcile.Request {
	b, ok := o.(*v1alpha1.BudgetRequest)
	if !ok {
		return nil
	}
	return request(b.Spec.Team)
}
