package status

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Budget is what of one resource the team's namespace has.
type Budget struct {
	Resource string `json:"resource"`
	Used     string `json:"used"`
	Hard     string `json:"hard"`
	// Left is below zero where more is in use than is allowed.
	Left  string `json:"left"`
	Level Level  `json:"level"`
}

// budget is the headroom of the namespace; says is why there is none to tell of.
func (s *service) budget() (out []Budget, says string) {
	if words, ok := s.missed(quotaKind); ok {
		return nil, words
	}
	for _, o := range s.set.Of(quotaKind) {
		q := one[corev1.ResourceQuota](o)
		if q == nil || q.Namespace != s.namespace {
			continue
		}
		for name, hard := range q.Status.Hard {
			used := q.Status.Used[name]
			left := hard.DeepCopy()
			left.Sub(used)
			b := Budget{Resource: string(name), Used: used.String(), Hard: hard.String(), Left: left.String(), Level: OK}
			switch {
			case left.Sign() <= 0 && hard.Sign() > 0:
				b.Level = Bad
			case left.AsApproximateFloat64() < 0.1*hard.AsApproximateFloat64():
				b.Level = Wait
			}
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		return nil, "no quota bounds this namespace"
	}
	slices.SortStableFunc(out, func(a, b Budget) int { return strings.Compare(a.Resource, b.Resource) })
	return out, ""
}
