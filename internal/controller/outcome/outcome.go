// Package outcome is what all controllers do with how a reconcile went: sort an
// error to a reason, say a change in an Event, count it in a metric.
package outcome

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"

	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/readiness"
)

// ConflictRecheck is how often an object that is somebody else's is looked at
// again: it does not carry our label, so no watch of ours sees it go.
const ConflictRecheck = 3 * time.Second

// ForbiddenRecheck is how often a right that is missing is tried again: no watch
// sees RBAC change for the operator.
const ForbiddenRecheck = 5 * time.Second

// Trouble sorts an error of a write to a reason; taken is the reason where the
// object is somebody else's. Transient errors are nil: trying again is all there
// is to do, and a condition would flap.
func Trouble(err error, taken, terminating string) *readiness.Trouble {
	switch kube.KindOf(err) {
	case kube.Conflict:
		return &readiness.Trouble{Reason: taken, Message: err.Error() + "; nothing was written to it"}
	case kube.Terminating:
		return &readiness.Trouble{Reason: terminating, Message: err.Error()}
	case kube.Forbidden:
		return &readiness.Trouble{Reason: "OperatorForbidden", Message: "the API server refuses the operator: " + err.Error()}
	case kube.Invalid:
		return &readiness.Trouble{Reason: "Invalid", Message: err.Error()}
	case kube.NoNamespace:
		return &readiness.Trouble{Reason: "ArgoCDNamespaceNotFound", Message: err.Error()}
	case kube.NoContract:
		return &readiness.Trouble{Reason: "ContractInvalid", Message: err.Error()}
	case kube.NoKind:
		return &readiness.Trouble{Reason: "ArgoCDAbsent", Message: "Argo CD's CRDs are not installed"}
	default:
		return nil
	}
}

// Recheck is when to look again at trouble that no watch ends; 0 is never.
func Recheck(err error) time.Duration {
	switch kube.KindOf(err) {
	case kube.Conflict, kube.Terminating:
		return ConflictRecheck
	case kube.Forbidden, kube.Invalid, kube.NoNamespace:
		return ForbiddenRecheck
	case kube.NoContract:
		return 0 // the contract's own event wakes us
	default:
		return 0
	}
}

// Result joins what the steps of a reconcile need: transient errors are returned
// and tried again with back-off; the soonest recheck wins.
func Result(errs ...error) (ctrl.Result, error) {
	var result ctrl.Result
	var transient error
	for _, err := range errs {
		if err == nil {
			continue
		}
		if kube.KindOf(err) == kube.Transient {
			transient = errors.Join(transient, err)
			continue
		}
		if after := Recheck(err); after > 0 && (result.RequeueAfter == 0 || after < result.RequeueAfter) {
			result.RequeueAfter = after
		}
	}
	if transient != nil {
		return ctrl.Result{}, transient
	}
	return result, nil
}

// overtakenRecheck is when to look again at an object of which a newer sight was not
// known. Mostly its event comes first; nothing depends on that.
const overtakenRecheck = time.Second

// errOvertaken is that a status was written to an older sight of its object.
var errOvertaken = errors.New("the object was changed meanwhile")

// Unwritten sorts the error of a status that was not written. It is none where the
// object is gone; where it is newer than the one that was looked at, words about an
// older sight would stand over better ones, and Overtaken has it looked at again.
func Unwritten(err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return errOvertaken
	default:
		return err
	}
}

// Overtaken turns such an error into a second look.
func Overtaken(result ctrl.Result, err error) (ctrl.Result, error) {
	if errors.Is(err, errOvertaken) {
		return ctrl.Result{RequeueAfter: overtakenRecheck}, nil
	}
	return result, err
}

// Announce says a change of Ready in an Event, where it is one that somebody
// would want to hear of. The way to Ready is told by the conditions.
func Announce(recorder events.EventRecorder, o runtime.Object, old, now []metav1.Condition) {
	before, after := meta.FindStatusCondition(old, readiness.Ready), meta.FindStatusCondition(now, readiness.Ready)
	if after == nil {
		return
	}
	switch {
	case after.Status == metav1.ConditionTrue:
		if before != nil && ownership.Reasons[before.Reason].Notable() {
			recorder.Eventf(o, nil, "Normal", "Recovered", "Reconcile", "%s (was %s)", after.Message, before.Reason)
		}
	case before != nil && before.Reason == after.Reason:
	case ownership.Reasons[after.Reason].Notable():
		recorder.Eventf(o, nil, "Warning", after.Reason, "Reconcile", "%s", after.Message)
	case before != nil && before.Status == metav1.ConditionTrue && before.ObservedGeneration == after.ObservedGeneration:
		recorder.Eventf(o, nil, "Warning", "NoLongerReady", "Reconcile", "%s", after.Message)
	}
}
