package readiness

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/api/v1alpha1"
)

// RaiseRefused says why a budget cannot be asked for: it is above the ceiling, or no
// more than the team has. A budget that does not parse refuses nothing here.
func RaiseRefused(asks, has, ceiling v1alpha1.Amounts) *Trouble {
	var above []string
	more := false
	for _, k := range keys(asks, has, ceiling) {
		if k.asks == nil {
			continue
		}
		if k.ceiling != nil && k.asks.Cmp(*k.ceiling) > 0 {
			above = append(above, fmt.Sprintf("%s %s (ceiling %s)", k.name, k.asks, k.ceiling))
		}
		more = more || k.has != nil && k.asks.Cmp(*k.has) > 0
	}
	switch {
	case len(above) > 0:
		return &Trouble{"AboveCeiling", "it asks for more than the platform's ceiling: " + strings.Join(above, ", ")}
	case !more:
		return &Trouble{"NotARaise", "it asks for no more than the Tenant's spec.resources gives" + given(has) + "; a key that is not set there is not limited"}
	default:
		return nil
	}
}

// given is what a team has, in words.
func given(has v1alpha1.Amounts) string {
	if has.Empty() {
		return ""
	}
	return " (" + BudgetWords(*budget(has)) + ")"
}

// Raise lays what was approved over a team's budget: key by key the larger holds, as far
// as the ceiling lets it. A key without a limit stays without one.
func Raise(has, ceiling v1alpha1.Amounts, asks ...v1alpha1.Amounts) v1alpha1.Amounts {
	for _, a := range asks {
		for _, k := range keys(a, has, ceiling) {
			if k.asks == nil || k.has == nil {
				continue
			}
			upTo := *k.asks
			if k.ceiling != nil && upTo.Cmp(*k.ceiling) > 0 {
				upTo = *k.ceiling
			}
			if upTo.Cmp(*k.has) > 0 {
				k.set(&has, upTo)
			}
		}
	}
	return has
}

// key is one key of three budgets.
type key struct {
	name               string
	asks, has, ceiling *resource.Quantity
	set                func(*v1alpha1.Amounts, resource.Quantity)
}

func keys(asks, has, ceiling v1alpha1.Amounts) []key {
	return []key{
		{"cpu", asks.CPU, has.CPU, ceiling.CPU, func(a *v1alpha1.Amounts, q resource.Quantity) { a.CPU = &q }},
		{"memory", asks.Memory, has.Memory, ceiling.Memory, func(a *v1alpha1.Amounts, q resource.Quantity) { a.Memory = &q }},
		{"pods", number(asks.Pods), number(has.Pods), number(ceiling.Pods), func(a *v1alpha1.Amounts, q resource.Quantity) {
			n := q.Value()
			a.Pods = &n
		}},
	}
}

func number(n *int64) *resource.Quantity {
	if n == nil {
		return nil
	}
	return resource.NewQuantity(*n, resource.DecimalSI)
}

// Raised is the budget that a team holds while requests raise it, and which these are;
// its own, as it is written, where none does.
func Raised(t *v1alpha1.Tenant, ceiling *v1alpha1.Budget, requests []v1alpha1.BudgetRequest, now time.Time) (*v1alpha1.Budget, []v1alpha1.TenantRaise) {
	own := t.Spec.Resources
	has, err := own.Amounts()
	if err != nil || has.Empty() {
		return own, nil // without a budget nothing is limited
	}
	most, err := ceiling.Amounts()
	if err != nil {
		most = v1alpha1.Amounts{}
	}
	var asks []v1alpha1.Amounts
	var raises []v1alpha1.TenantRaise
	for i := range requests {
		r := &requests[i]
		if r.Spec.Team != t.Name || !Active(r.Status.Life, now) || r.Spec.Revocation != nil || r.Status.TenantUID != string(t.UID) {
			continue
		}
		if a, err := r.Spec.Resources.Amounts(); err == nil {
			asks = append(asks, a)
			raises = append(raises, v1alpha1.TenantRaise{Request: r.Name, Budget: BudgetWords(r.Spec.Resources), Until: r.Status.Expires})
		}
	}
	if len(asks) == 0 {
		return own, nil
	}
	slices.SortFunc(raises, func(a, b v1alpha1.TenantRaise) int { return strings.Compare(a.Request, b.Request) })
	return budget(Raise(has, most, asks...)), raises
}

// BudgetWords are a budget in few words.
func BudgetWords(b v1alpha1.Budget) string {
	var words []string
	if b.CPU != nil {
		words = append(words, "cpu "+b.CPU.String())
	}
	if b.Memory != nil {
		words = append(words, "memory "+b.Memory.String())
	}
	if b.Pods != nil {
		words = append(words, fmt.Sprintf("pods %d", *b.Pods))
	}
	return strings.Join(words, ", ")
}

func budget(a v1alpha1.Amounts) *v1alpha1.Budget {
	quantity := func(q *resource.Quantity) *v1alpha1.Quantity {
		if q == nil {
			return nil
		}
		text := intstr.FromString(q.String())
		return &text
	}
	return &v1alpha1.Budget{CPU: quantity(a.CPU), Memory: quantity(a.Memory), Pods: a.Pods}
}
