package outcome

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
)

// A status that could not be written to what was looked at is looked at again by itself:
// whether an event comes is not relied upon.
func TestOvertaken(t *testing.T) {
	gr := schema.GroupResource{Group: "demarc.dev", Resource: "serviceclaims"}
	late := ctrl.Result{RequeueAfter: time.Hour}
	other, refused := errors.New("no answer"), apierrors.NewInternalError(errors.New("a delivery that failed"))
	for name, c := range map[string]struct {
		err    error
		result ctrl.Result
		left   error
	}{
		"written":                           {nil, late, nil},
		"gone":                              {Unwritten(apierrors.NewNotFound(gr, "web")), late, nil},
		"newer":                             {Unwritten(apierrors.NewConflict(gr, "web", errors.New("newer"))), ctrl.Result{RequeueAfter: overtakenRecheck}, nil},
		"newer, and the delivery failed":    {errors.Join(refused, Unwritten(apierrors.NewConflict(gr, "web", errors.New("newer")))), ctrl.Result{RequeueAfter: overtakenRecheck}, nil},
		"not answered":                      {Unwritten(other), late, other},
		"a conflict of another write's own": {apierrors.NewConflict(gr, "web", errors.New("newer")), late, apierrors.NewConflict(gr, "web", errors.New("newer"))},
	} {
		result, err := Overtaken(late, c.err)
		if result != c.result || (err == nil) != (c.left == nil) {
			t.Errorf("%s: %v, %v; want %v, %v", name, result, err, c.result, c.left)
		}
	}
}
