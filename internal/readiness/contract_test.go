package readiness_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/readiness"
)

func TestVerified(t *testing.T) {
	agreed := &metav1.Condition{Type: "Verified", Status: metav1.ConditionTrue, Reason: "Agrees", Message: "all of them"}
	wrong := &metav1.Condition{Type: "Verified", Status: metav1.ConditionFalse, Reason: "GrantsMore", Message: "one"}
	waiting := &metav1.Condition{Type: "Verified", Status: metav1.ConditionUnknown, Reason: "NotYetAsked", Message: "not yet"}
	for name, c := range map[string]struct {
		reviewed *readiness.Reviewed
		before   *metav1.Condition
		invalid  *readiness.Trouble
		// reason and message of Verified, and the reason of Ready.
		reason, message, ready string
	}{
		"not asked yet":   {ready: "ContractReady", reason: "NotYetAsked", message: "the API server was not asked yet whether it answers as this contract says. Next, platform: wait some minutes; the operator asks by itself."},
		"after a restart": {before: agreed, ready: "ContractReady", reason: "Agrees", message: "all of them"},
		"agrees":          {reviewed: &readiness.Reviewed{Asked: 40, Cells: 40, Whole: true}, before: agreed, ready: "ContractReady", reason: "Agrees", message: "the API server answers as the contract says: 40 of 40 cells asked"},
		"agrees as far as it was asked": {reviewed: &readiness.Reviewed{Asked: 10, Cells: 40}, before: waiting, ready: "ContractReady", reason: "Agrees",
			message: "the API server answers as the contract says: 10 of 40 cells asked"},
		"agrees as far as it was asked again": {reviewed: &readiness.Reviewed{Asked: 10, Cells: 40}, before: agreed, ready: "ContractReady", reason: "Agrees", message: "all of them"},
		"what was wrong before a restart":     {reviewed: &readiness.Reviewed{Asked: 10, Cells: 40}, before: wrong, ready: "GrantsMore", reason: "GrantsMore", message: ""},
		"what was wrong is mended": {reviewed: &readiness.Reviewed{Asked: 10, Cells: 40, Mended: true}, before: wrong, ready: "ContractReady", reason: "Agrees",
			message: "the API server answers as the contract says: 10 of 40 cells asked"},
		"more": {reviewed: &readiness.Reviewed{More: 2, Differ: []string{"a"}}, before: agreed, ready: "GrantsMore", reason: "GrantsMore",
			message: "the API server allows what the contract does not give: a; and 1 more. Next, platform: run demarc contract verify: it names the binding that causes each, and the command that mends it."},
		"less":                     {reviewed: &readiness.Reviewed{Less: 1, Differ: []string{"a"}}, ready: "GrantsLess", reason: "GrantsLess"},
		"both":                     {reviewed: &readiness.Reviewed{More: 1, Less: 1, Differ: []string{"a", "b"}}, ready: "Differs", reason: "Differs"},
		"failed":                   {reviewed: &readiness.Reviewed{Failed: "no answer"}, before: agreed, ready: "ContractReady", reason: "ReviewFailed"},
		"failed while it is wrong": {reviewed: &readiness.Reviewed{Failed: "no answer"}, before: wrong, ready: "GrantsMore", reason: "GrantsMore"},
		"invalid": {reviewed: &readiness.Reviewed{Asked: 1, Cells: 1, Whole: true}, invalid: &readiness.Trouble{Reason: "ContractInvalid", Message: "m"},
			ready: "ContractInvalid", reason: "NotYetAsked"},
	} {
		t.Run(name, func(t *testing.T) {
			said := readiness.Contract{Invalid: c.invalid, Reviewed: c.reviewed, Before: c.before}.Decide()
			got := meta.FindStatusCondition(said, "Verified")
			if got == nil || got.Reason != c.reason || c.message != "" && got.Message != c.message {
				t.Errorf("it says %+v, want %s: %s", got, c.reason, c.message)
			}
			if ready := meta.FindStatusCondition(said, "Ready"); ready.Reason != c.ready {
				t.Errorf("Ready is %+v, want %s", ready, c.ready)
			}
		})
	}
}
