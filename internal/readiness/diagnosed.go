package readiness

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
)

// Diagnosed of a claim says what triage finds that concerns it: the reason is the id of the
// gravest root finding. It is there only while there is one, and apart from Ready: a service
// that runs as asked may not be reached for all that.
const Diagnosed = "Diagnosed"

// maxFindings is what the API takes.
const maxFindings = 16

// Diagnosis is what triage finds of a claim.
type Diagnosis struct {
	// Looked says that triage has looked since the operator began; what stands in the status
	// stays until then.
	Looked   bool
	Findings []finding.Finding
}

// status is the condition, none where nothing is found, and the list beside it.
func (d Diagnosis) status(c *v1alpha1.ServiceClaim) ([]metav1.Condition, []v1alpha1.ClaimFinding) {
	if !d.Looked {
		if before := meta.FindStatusCondition(c.Status.Conditions, Diagnosed); before != nil {
			return []metav1.Condition{*before}, c.Status.Findings
		}
		return nil, c.Status.Findings
	}
	if len(d.Findings) == 0 {
		return nil, nil
	}
	var list []v1alpha1.ClaimFinding
	for _, f := range d.Findings[:min(len(d.Findings), maxFindings)] {
		list = append(list, v1alpha1.ClaimFinding{ID: f.ID, Severity: string(f.Severity), Owner: f.Owner, Object: f.Object.String()})
	}
	return []metav1.Condition{yes(Diagnosed, d.Findings[0].ID, d.words(c.Name))}, list
}

// words are those of the first finding, with who acts and how.
func (d Diagnosis) words(claim string) string {
	f := d.Findings[0]
	out := sentence(Normalise(f.Message))
	if !strings.Contains(out, f.Object.Name) {
		out = f.Object.String() + ": " + out
	}
	for _, step := range f.Next {
		out += " Next, " + string(step.Party) + ": " + sentence(step.Says)
	}
	if len(f.Next) == 0 {
		out += " It is for the " + string(f.Owner) + "."
	}
	if more := len(d.Findings) - 1; more > 0 {
		out += fmt.Sprintf(" And %d more: demarc status %s.", more, claim)
	}
	return out
}

func sentence(s string) string { return strings.TrimRight(s, ". \n") + "." }

// Opened are the findings that were not there before: of each id the first that is.
func Opened(before, now []v1alpha1.ClaimFinding) []v1alpha1.ClaimFinding {
	return missingIn(before, now)
}

// Closed are those that are not there now.
func Closed(before, now []v1alpha1.ClaimFinding) []v1alpha1.ClaimFinding {
	return missingIn(now, before)
}

// missingIn are the findings of a list that others lack, one of each id.
func missingIn(others, list []v1alpha1.ClaimFinding) (out []v1alpha1.ClaimFinding) {
	if len(others) == maxFindings {
		return nil
	}
	for _, f := range list {
		is := func(o v1alpha1.ClaimFinding) bool { return o.ID == f.ID && o.Object == f.Object }
		told := func(o v1alpha1.ClaimFinding) bool { return o.ID == f.ID }
		if !slices.ContainsFunc(others, is) && !slices.ContainsFunc(out, told) {
			out = append(out, f)
		}
	}
	return out
}
