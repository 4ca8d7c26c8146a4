package runner

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/diagnosis"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	claimKind  = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	tenantKind = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
)

// withheld are kinds that the operator does not read: a right to list Secrets is a right to
// their values, whatever of them is asked for. That one is missing the kubelet says.
var withheld = []schema.GroupKind{{Kind: "Secret"}}

// tell keeps what was found, and tells of which claims and Tenants it says something else; it
// reports whether there are any.
// The first look tells of all: what stands in a status may be an operator's before this one.
func (r *Runner) tell(ctx context.Context, d diagnosis.Diagnosis, set *snapshot.Set) bool {
	r.mu.Lock()
	before := r.found
	r.found = &d
	notify := r.notify
	r.mu.Unlock()
	claims, teams := names(set.Of(claimKind), nil), names(set.Of(tenantKind), nil)
	if before != nil {
		uids, of := d.Changed(*before)
		claims, teams = names(set.Of(claimKind), append([]types.UID{}, uids...)), of
	}
	if len(d.Unread) > 0 && (before == nil || !slices.Equal(before.Unread, d.Unread)) {
		ctrl.LoggerFrom(ctx).Info("the operator may not read all that triage looks at: nothing is found there", "unread", d.Unread)
	}
	ctrl.LoggerFrom(ctx).V(1).Info("looked for what is wrong", "claims", len(d.Claims), "teams", len(d.Tenants))
	for _, n := range notify {
		n(claims, teams)
	}
	return len(claims)+len(teams) > 0
}

// names of objects; nil asks for all of them.
func names(list []snapshot.Object, uids []types.UID) (out []string) {
	for _, o := range list {
		if uids == nil || slices.Contains(uids, o.GetUID()) {
			out = append(out, o.GetName())
		}
	}
	return out
}
