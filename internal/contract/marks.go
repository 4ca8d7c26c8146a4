package contract

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

// marked are the kinds on which the chart's policy demarc-marks keeps Demarc's marks; on
// all others whoever may write an object may put them on, or take them off.
var marked = slices.Concat(of("", "Namespace", "LimitRange", "ResourceQuota", "ServiceAccount"), of(networking, "NetworkPolicy"),
	of(rbac, "ClusterRole", "ClusterRoleBinding", "RoleBinding"), of(argo, "Application", "AppProject"))

// mark refuses to go by Demarc's mark on kinds where anybody may set it.
func (l *lint) mark(path string, r *v1alpha1.ContractResource) {
	if key, _, _ := strings.Cut(r.Label, "="); key != v1alpha1.LabelOwner {
		return
	}
	for _, kind := range r.Kinds {
		if gk := (schema.GroupKind{Group: r.Group, Kind: kind}); !slices.Contains(marked, gk) {
			l.refuse(path+".label", "%s is kept from others on %s alone, and on %s whoever writes it sets it: take another label, or a name", v1alpha1.LabelOwner, words(marked), gk)
			return
		}
	}
}
