package tenant

import "sigs.k8s.io/controller-runtime/pkg/controller"

// options: a Tenant waits on the API server most of the time, so several are
// kept at once; one Tenant is never kept twice at once.
var options = controller.Options{MaxConcurrentReconciles: 8}
