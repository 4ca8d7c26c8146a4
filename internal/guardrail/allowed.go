package guardrail

import (
	"time"

	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
)

const (
	day = 24 * time.Hour
	// maxDays and warnDays hold where the Platform says nothing.
	maxDays, warnDays = 90, 7
)

// Terms are the Platform's for exceptions.
type Terms struct {
	// Longest is how far ahead the end of one may lie when it is asked for.
	Longest time.Duration
	// Warn is how long before its end one is told of.
	Warn time.Duration
}

// TermsOf fills the documented defaults in; p may be nil.
func TermsOf(p *v1alpha1.Platform) Terms {
	e := settings(p).Exceptions
	days := func(n *int32, otherwise int32) time.Duration { return time.Duration(ptr.Deref(n, otherwise)) * day }
	return Terms{Longest: days(e.MaxDays, maxDays), Warn: days(e.WarnDays, warnDays)}
}

// remembered is how long after its end an exception is still in the sets, so that a
// refusal can say that it ended: as long as it was told of before, and a day at least, which
// is also more than two clocks differ by.
func (t Terms) remembered() time.Duration { return max(t.Warn, day) }

// InForce are the exceptions that belong into the sets at a moment, and when that changes
// by itself; zero is never. One that has ended stays for a while. What the operator has
// not let through yet, has refused, or has seen to end in another way is none of them.
func InForce(list []v1alpha1.GuardrailException, terms Terms, now time.Time) (in []v1alpha1.GuardrailException, next time.Time) {
	for i := range list {
		e := &list[i]
		life, out := e.Status.Life, e.Spec.Expires.Add(terms.remembered())
		switch {
		case life.ApprovedAt == nil || e.Spec.Revocation != nil || !now.Before(out):
			continue
		case life.EndedAt != nil && life.EndedAt.Time.Before(e.Spec.Expires.Time):
			continue // its team went
		}
		in = append(in, *e)
		if next.IsZero() || out.Before(next) {
			next = out
		}
	}
	return in, next
}
