package asked

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/readiness"
)

// Kind is one of the things that are asked for.
type Kind struct {
	// verb of the command line, word for one, its resource and one of it in the API, how what is
	// asked for is said in a sentence, and what it is that one asks for.
	verb, word, resource, singular, article, thing string
	// words that stand for it before a name.
	words []string
	// revokers says who may end it.
	revokers string
	new      func() client.Object
	list     func() client.ObjectList
}

// The kinds that there are.
var (
	Grants = Kind{"access", "access grant", "accessgrants", "accessgrant", "", "access", []string{"accessgrant", "accessgrants", "grant"},
		`Who asked for it and who may approve it can do so. So can whom it is for, where they
have a role of any team; without one they may not write an AccessGrant.`,
		func() client.Object { return &v1alpha1.AccessGrant{} }, func() client.ObjectList { return &v1alpha1.AccessGrantList{} }}
	Budgets = Kind{"budget", "budget request", "budgetrequests", "budgetrequest", "", "a budget", []string{"budgetrequest", "budgetrequests", "budget"},
		`Who asked for it and who may approve it can do so.`,
		func() client.Object { return &v1alpha1.BudgetRequest{} }, func() client.ObjectList { return &v1alpha1.BudgetRequestList{} }}
	Exceptions = Kind{"exception", "exception", "guardrailexceptions", "guardrailexception", "an exception from ", "an exception",
		[]string{"guardrailexception", "guardrailexceptions", "exception"}, `Who asked for it and who may approve it can do so.`,
		func() client.Object { return &v1alpha1.GuardrailException{} }, func() client.ObjectList { return &v1alpha1.GuardrailExceptionList{} }}
)

// one is the name of the one that is meant: NAME, or KIND/NAME as -o name prints it.
func (k Kind) one(text string) (string, error) {
	if word, name, ok := strings.Cut(text, "/"); ok && slices.Contains(k.words, strings.TrimSuffix(strings.ToLower(word), ".demarc.dev")) {
		text = name
	}
	return text, target.Named(text)
}

// entry is what all have in common, as a person reads it.
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
	// Living are the objects that run on an exception that ended.
	Living []string `json:"living,omitempty"`
	ready  metav1.ConditionStatus
}

// read makes an entry of an object of any of the kinds.
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
	case *v1alpha1.GuardrailException:
		s := o.Spec
		e.Team, e.For, e.Reason, e.RequestedBy = s.Team, "until "+moment(&s.Expires), s.Reason, s.RequestedBy
		e.What, e.Living = excepted(s), o.Status.Living
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

// excepted names the rules, and what alone may break them.
func excepted(s v1alpha1.GuardrailExceptionSpec) string {
	what := strings.Join(s.Rules, ", ")
	if s.Selector != nil {
		what += " for " + labels.Set(s.Selector.Labels()).String()
	}
	return what
}

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
