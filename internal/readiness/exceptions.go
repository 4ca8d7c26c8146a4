package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/ownership"
)

// ExceptionsValid is the condition of a Tenant about the exceptions of its team. It is no
// part of Ready: what a team may break for a time takes nothing from its space. It is there
// only where there is something to say.
const ExceptionsValid = "ExceptionsValid"

// TeamExceptions says how the exceptions of a team stand; ok is that there is something
// to say. list holds those of this team.
func TeamExceptions(list []v1alpha1.GuardrailException) (c metav1.Condition, ok bool) {
	by := map[string][]v1alpha1.GuardrailException{}
	for _, e := range list {
		state := ExceptionState(&e)
		by[state] = append(by[state], e)
	}
	var holding []string
	if ending := by["ending"]; len(ending) > 0 {
		holding = append(holding, named(ending, "ends"))
	}
	if active := by["active"]; len(active) > 0 {
		holding = append(holding, named(active, "holds until"))
	}
	held := strings.Join(holding, "; ")
	switch lapsed := living(by["lapsed"]); {
	case len(lapsed) > 0:
		// Unlike words taken over from the cluster these keep their times: they never change.
		message := strings.Join(append([]string{named(lapsed, "ended")}, holding...), "; ")
		return metav1.Condition{Type: ExceptionsValid, Status: metav1.ConditionFalse, Reason: "ExceptionLapsed", Message: ownership.Act("ExceptionLapsed", message)}, true
	case len(by["ending"]) > 0:
		return yes(ExceptionsValid, "ExceptionEndsSoon", held), true
	case held != "":
		return yes(ExceptionsValid, "ExceptionsHold", held), true
	default:
		return metav1.Condition{}, false
	}
}

// living leaves out those of which nobody has looked yet whether something runs on them.
func living(list []v1alpha1.GuardrailException) []v1alpha1.GuardrailException {
	return slices.DeleteFunc(list, func(e v1alpha1.GuardrailException) bool { return len(e.Status.Living) == 0 })
}

// named tells of some exceptions: each with its rules, its end, and what still runs on it.
func named(list []v1alpha1.GuardrailException, verb string) string {
	const most = 3
	slices.SortFunc(list, func(a, b v1alpha1.GuardrailException) int {
		return cmp.Or(a.Spec.Expires.Compare(b.Spec.Expires.Time), cmp.Compare(a.Name, b.Name))
	})
	var words []string
	for _, e := range list[:min(most, len(list))] {
		at := e.Spec.Expires
		if e.Status.EndedAt != nil {
			at = *e.Status.EndedAt
		}
		said := fmt.Sprintf("%s (%s) %s %s", e.Name, strings.Join(e.Spec.Rules, ", "), verb, at.UTC().Format(time.RFC3339))
		if len(e.Status.Living) > 0 {
			said += ", and on it still run " + Living{Objects: e.Status.Living}.words()
		}
		words = append(words, said)
	}
	if more := len(list) - most; more > 0 {
		words = append(words, fmt.Sprintf("%d more %s", more, verb[:strings.IndexAny(verb+" ", " ")]))
	}
	return strings.Join(words, "; ")
}
