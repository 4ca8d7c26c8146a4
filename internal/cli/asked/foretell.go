package asked

import (
	"context"
	"fmt"
	"math"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// seen is what the operator will decide by, as far as it may be read here.
type seen struct {
	limit   time.Duration
	ceiling *v1alpha1.Budget
	terms   guardrail.Terms
	tenant  *v1alpha1.Tenant
	team    *readiness.TeamSeen
}

// foretell refuses what the operator would refuse, whoever approved it, by the same rules.
// What may not be read is left to the operator.
func (o *Options) foretell(ctx context.Context, c client.Reader, asked client.Object) error {
	s, err := look(ctx, c, o.Team)
	if err != nil {
		return err
	}
	now := o.Clock.Now()
	var a readiness.Asked
	switch asked := asked.(type) {
	case *v1alpha1.AccessGrant:
		a = readiness.AccessAsked(asked, s.limit)
	case *v1alpha1.BudgetRequest:
		a = readiness.BudgetAsked(asked, s.tenant, s.ceiling)
	case *v1alpha1.GuardrailException:
		asked = asked.DeepCopy()
		asked.CreationTimestamp.Time = now // how far ahead it ends is counted from then
		a = readiness.ExceptionAsked(asked, s.terms, guardrail.UnknownRules(asked.Spec.Rules))
	}
	a.Created = now
	granted := readiness.Grant(a, v1alpha1.Life{}, s.team, now)
	if !granted.Over() {
		return nil
	}
	return exit.Refused(fmt.Sprintf("cannot ask for %s: %s", o.Kind.thing, granted.Trouble.Message), ownership.Reasons[granted.Trouble.Reason].Next)
}

func look(ctx context.Context, c client.Reader, team string) (seen, error) {
	s := seen{limit: math.MaxInt64, terms: guardrail.Terms{Longest: math.MaxInt64}, team: &readiness.TeamSeen{}}
	p := &v1alpha1.Platform{}
	switch err := c.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, p); {
	case err == nil, apierrors.IsNotFound(err): // without one the defaults hold
		settings := render.SettingsOf(p)
		s.limit, s.ceiling, s.terms = settings.MaxAccess, settings.Ceiling, guardrail.TermsOf(p)
	case !apierrors.IsForbidden(err):
		return s, exit.Unreadable(err, "read the Platform")
	}
	t := &v1alpha1.Tenant{}
	switch err := c.Get(ctx, types.NamespacedName{Name: team}, t); {
	case err == nil:
		s.tenant, s.team = t, &readiness.TeamSeen{UID: string(t.UID), Going: t.DeletionTimestamp != nil}
	case apierrors.IsNotFound(err):
		s.team = nil
	case !apierrors.IsForbidden(err):
		return s, exit.Unreadable(err, "read tenant "+team)
	}
	return s, nil
}
