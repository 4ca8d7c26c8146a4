package ownershipcontract

import (
	"context"
	"fmt"
	"slices"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/render"
)

// settles is how long after a write a policy is taken to hold in every API server, each of
// which hears of it by itself.
const settles = 2 * time.Second

// boundary keeps the policy and its binding, and lets the roles follow the contract once
// these hold. While the roles are of another one, what either keeps is kept; later is when
// to look again.
func (r *Reconciler) boundary(ctx context.Context, agreed *contract.Contract, platform *v1alpha1.Platform) (later time.Duration, err error) {
	defer func() {
		if err != nil || later == 0 {
			r.Contracts.Guard(agreed, err)
		}
	}()
	user, err := r.whoami(ctx)
	if err != nil {
		return 0, err
	}
	kept, err := r.Contracts.Kept(ctx)
	if err != nil {
		return 0, err
	}
	all := []*contract.Contract{agreed}
	if followed, _ := r.Contracts.Followed(agreed); !followed && len(kept) > 0 {
		all = with(kept, agreed)
	}
	changed := false
	for _, o := range render.Boundary(user, platform.Spec.Team.Contacts.Channel, all...) {
		_, change, err := r.EnsureByName(ctx, render.OnCall(o, platform.Spec.Team.Contacts), render.PlatformRef)
		if err != nil {
			return 0, fmt.Errorf("keep %s: %w", kube.Name(o), err)
		}
		changed = changed || change != kube.Unchanged
	}
	if now := r.Clock.Now(); changed && len(kept) > 0 {
		r.holds = now.Add(settles)
	}
	return max(0, r.holds.Sub(r.Clock.Now())), nil
}

// with puts a contract at the end of those that hold, once.
func with(kept []*contract.Contract, agreed *contract.Contract) []*contract.Contract {
	packed := contract.Pack(agreed)
	kept = slices.DeleteFunc(kept, func(c *contract.Contract) bool { return contract.Pack(c) == packed })
	return append(kept, agreed)
}
