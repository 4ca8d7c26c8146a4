package review

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/readiness"
)

// say tells what is known, and when to ask next.
func (r *Runner) say(ctx context.Context, cells int, version string) {
	now, after := r.Clock.Now(), catchUp
	ended := r.tally.end(cells)
	reviewed := r.tally.reviewed(cells)
	measure(reviewed, ended, now)
	if reviewed.Whole {
		after = interval - jitter + rand.N(2*jitter)
	}
	r.failures, r.doubts = 0, nil
	r.pace.later(now, after)
	r.tell(ctx, &reviewed, version)
}

// patience is how many failures in a row go unsaid: one may pass, and a condition for each
// would flap.
const patience = 2

// failed says that nothing is known, where that lasts or does not pass by itself.
func (r *Runner) failed(ctx context.Context, err error) {
	r.failures++
	r.pace.later(r.Clock.Now(), retry)
	switch {
	case kube.KindOf(err) == kube.NoContract: // its own conditions say so
		r.pace.later(r.Clock.Now(), interval)
		return
	case kube.KindOf(err) == kube.Transient && r.failures <= patience:
		ctrl.LoggerFrom(ctx).Info("the questions about the ownership contract were not answered; they are asked again", "why", err.Error())
		return
	}
	ctrl.LoggerFrom(ctx).Error(err, "ask whether the API server answers as the ownership contract says")
	version, unread := r.versionNow(ctx)
	if unread != nil {
		return
	}
	reviewed := r.tally.reviewed(0)
	reviewed.Failed = why(err)
	r.tell(ctx, &reviewed, version)
}

// why is the same for the same failure: of one that did not come from the API server the
// rest, ports among it, is another each time.
func why(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return "the API server does not say whether it answers as the contract says: " + status.Status().Message
	}
	return "the API server does not say whether it answers as the contract says: no answer came"
}

func (r *Runner) tell(ctx context.Context, reviewed *readiness.Reviewed, version string) {
	r.mu.Lock()
	same := r.version == version && reflect.DeepEqual(r.reviewed, reviewed)
	r.reviewed, r.version = reviewed, version
	notify := r.notify
	r.mu.Unlock()
	if same {
		return
	}
	ctrl.LoggerFrom(ctx).Info("asked whether the API server answers as the ownership contract says", "cells", reviewed.Cells, "asked", reviewed.Asked,
		"more", reviewed.More, "less", reviewed.Less)
	for _, n := range notify {
		n()
	}
}
