package ownership

import "k8s.io/apimachinery/pkg/runtime/schema"

// Marked are the kinds on which the policy demarc-marks keeps Demarc's marks: on all others anybody
// who may write an object may put them there.
var Marked = []schema.GroupKind{
	{Kind: "Namespace"}, {Kind: "LimitRange"}, {Kind: "ResourceQuota"}, {Kind: "ServiceAccount"},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, {Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}, {Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"},
	{Group: "argoproj.io", Kind: "Application"}, {Group: "argoproj.io", Kind: "AppProject"},
}
