package contract

import "k8s.io/apimachinery/pkg/runtime/schema"

// Marked for tests.
var Marked = marked

// StandsOn for tests.
func StandsOn(name string) []schema.GroupKind {
	o, _ := operationOf(name)
	return o.kinds
}
