package outcome

import (
	"sigs.k8s.io/controller-runtime/pkg/event"

	"demarc.dev/demarc/api/v1alpha1"
)

// Wake asks a controller to look at all its objects. The channel holds one: a
// wake-up that is waiting already covers this one too, so nobody is blocked.
func Wake(channel chan event.GenericEvent) {
	select {
	case channel <- event.GenericEvent{Object: &v1alpha1.Platform{}}:
	default:
	}
}
