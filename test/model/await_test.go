package model

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/model/world"
	"demarc.dev/demarc/test/poll"
)

// await polls until a check is nil.
func (h *hands) await(ctx context.Context, within time.Duration, what string, check func() error) error {
	return poll.Until(ctx, time.Second, within, what, func(context.Context) (bool, error) {
		err := check()
		return err == nil, err
	})
}

func (h *hands) ready() error {
	for _, kind := range []string{"Tenant", "ServiceClaim"} {
		for _, o := range h.own(kind) {
			if !meta.IsStatusConditionTrue(conditionsOf(o), "Ready") {
				return fmt.Errorf("%s: %+v", keyOf(o), meta.FindStatusCondition(conditionsOf(o), "Ready"))
			}
		}
	}
	return nil
}

// goneOrSaid wants of all that is going and held by us that it says what it waits for.
func (h *hands) goneOrSaid() error {
	for kind, says := range map[string]string{"Tenant": "ClaimsDrained", "ServiceClaim": "Drained"} {
		for _, o := range h.own(kind) {
			finalizer := map[string]string{"Tenant": v1alpha1.FinalizerTenant, "ServiceClaim": v1alpha1.FinalizerClaim}[kind]
			if !slices.Contains(o.GetFinalizers(), finalizer) {
				continue
			}
			said := meta.FindStatusCondition(conditionsOf(o), says)
			if said == nil || said.Status != metav1.ConditionFalse || said.Message == "" {
				return fmt.Errorf("%s is held by %v and says %+v", keyOf(o), o.GetFinalizers(), said)
			}
		}
	}
	return nil
}

// takenDown does what is people's to do, and says what is still there.
func (h *hands) takenDown() error {
	h.takeDown()
	h.cleanUp()
	left := h.left()
	if len(left) == 0 {
		return nil
	}
	if len(h.own("Tenant")) == 0 { // what a Tenant left that was forced is found again by the next
		for _, team := range h.forced {
			h.createTenant(team, false)
		}
	}
	return fmt.Errorf("still there: %v", left)
}

// left is what is Demarc's or kept by it.
func (h *hands) left() []string {
	var left []string
	for _, kind := range sorted(realKinds) {
		for _, o := range h.own(kind) {
			if kind == "Tenant" || kind == "ServiceClaim" || kind == "Application" || ours(o) {
				left = append(left, fmt.Sprintf("%s held by %v: %s", world.KeyOf(o), o.GetFinalizers(), said(o)))
			}
		}
	}
	return left
}
