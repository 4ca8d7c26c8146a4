package outcome

import (
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
)

// noteLimit is what the API server takes as the note of an Event; it refuses one that
// is longer, and nobody would hear of it.
const noteLimit = 1024

// Brief is a recorder that cuts a note where the API server would refuse the Event.
type Brief struct{ events.EventRecorder }

// Eventf records an Event.
func (b Brief) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	b.EventRecorder.Eventf(regarding, related, kind, reason, action, "%s", cut(fmt.Sprintf(note, args...)))
}

func cut(note string) string {
	const more = "…"
	if len(note) <= noteLimit {
		return note
	}
	end := noteLimit - len(more)
	for !utf8.RuneStart(note[end]) {
		end--
	}
	return note[:end] + more
}
