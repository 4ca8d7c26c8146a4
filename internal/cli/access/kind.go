package access

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/readiness"
)

// kind is one of the two things that are asked for.
type kind struct {
	// verb of the command line, word for one, and its resource and one of it in the API.
	verb, word, resource, singular string
	// words that stand for it before a name.
	words []string
	// revokers says who may end it.
	revokers string
	new      func() client.Object
	list     func() client.ObjectList
}

var (
	grants = kind{"access", "access grant", "accessgrants", "accessgrant", []string{"accessgrant", "accessgrants", "grant"},
		`Who asked for it and who may approve it can do so. So can whom it is for, where they
have a role of any team; without one they may not write an AccessGrant.`,
		func() client.Object { return &v1alpha1.AccessGrant{} }, func() client.ObjectList { return &v1alpha1.AccessGrantList{} }}
	budgets = kind{"budget", "budget request", "budgetrequests", "budgetrequest", []string{"budgetrequest", "budgetrequests", "budget"},
		`Who asked for it and who may approve it can do so.`,
		func() client.Object { return &v1alpha1.BudgetRequest{} }, func() client.ObjectList { return &v1alpha1.BudgetRequestList{} }}
)

// one is the name of the one that is meant: NAME, or KIND/NAME as -o name prints it.
func (k kind) one(text string) (string, error) {
	if word, name, ok := strings.Cut(text, "/"); ok && slices.Contains(k.words, strings.TrimSuffix(strings.ToLower(word), ".demarc.dev")) {
		text = name
	}
	return text, target.Named(text)
}

// entry is what both have in common, as a person reads it.
type entry struct {
	Name        string       `json:"name"`
	Team        string       `json:"team"`
	What        string       `json:"what"`
	For         string       `json:"for,omitempty"`
	Reason      string       `json:"reason"`
	RequestedBy string       `json:"requestedBy"`
	ApprovedBy  string       `json:"approvedBy,omitempty"`
	RevokedBy   string       `json:"revokedBy,omitempty"`
	Created     metav1.Time  `json:"created"`
	ApprovedAt  *metav1.Time `json:"approvedAt,omitempty"`
	Expires     *metav1.Time `json:"expires,omitempty"`
	EndedAt     *metav1.Time `json:"endedAt,omitempty"`
	State       string       `json:"state"`
	Message     string       `json:"message,omitempty"`
	ready       metav1.ConditionStatus
}

// read makes an entry of an object of either kind.
func read(o client.Object) entry {
	e := entry{Name: o.GetName(), Created: o.GetCreationTimestamp(), State: "Waiting"}
	switch o := o.(type) {
	case *v1alpha1.AccessGrant:
		s := o.Spec
		e.Team, e.For, e.Reason, e.RequestedBy = s.Team, s.Duration, s.Reason, s.RequestedBy
		e.What = s.Role + " for " + readiness.SubjectWords(s)
		e.take(s.Approval, s.Revocation, o.Status.Life, o.Status.Conditions)
	case *v1alpha1.BudgetRequest:
		s := o.Spec
		e.Team, e.For, e.Reason, e.RequestedBy = s.Team, s.Duration, s.Reason, s.RequestedBy
		if s.Until != nil {
			e.For = "until " + moment(s.Until)
		}
		e.What = readiness.BudgetWords(s.Resources)
		e.take(s.Approval, s.Revocation, o.Status.Life, o.Status.Conditions)
	}
	return e
}

func (e *entry) take(a *v1alpha1.Approval, r *v1alpha1.Revocation, l v1alpha1.Life, conditions []metav1.Condition) {
	if a != nil {
		e.ApprovedBy = a.By
	}
	if r != nil {
		e.RevokedBy = r.By
	}
	e.ApprovedAt, e.Expires, e.EndedAt = l.ApprovedAt, l.Expires, l.EndedAt
	for _, c := range conditions {
		if c.Type == readiness.Ready {
			e.State, e.Message, e.ready = c.Reason, c.Message, c.Status
		}
	}
}

// refused says that it ended before it began, and not by anybody's word.
func (e entry) refused() bool { return e.EndedAt != nil && e.ApprovedAt == nil && e.RevokedBy == "" }

// during says for how long it is asked for, where it has an end.
func (e entry) during() string {
	switch {
	case e.For == "":
		return "without an end"
	case strings.HasPrefix(e.For, "until "):
		return e.For
	default:
		return "for " + e.For
	}
}

func moment(t *metav1.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}
