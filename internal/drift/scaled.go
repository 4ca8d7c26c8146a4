package drift

import (
	"regexp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/internal/snapshot"
)

// scaled finds out when a number of replicas was changed that no managed field dates: by the
// event of the Deployment's controller, and else by the ReplicaSet that it wrote then.
func (w *world) scaled(d *declaration, c *Change, declared, live string) {
	if event, from, ok := w.scaling(d, c.After, declared, live); ok {
		c.At, c.From, c.Was = utc(event), fromEvent, from
		return
	}
	for _, rs := range w.replicaSets[d.live.GetUID()] {
		if rs.GetAnnotations()["deployment.kubernetes.io/desired-replicas"] != live {
			continue
		}
		for _, m := range rs.GetManagedFields() {
			if m.Subresource == "" && m.Time != nil && automatic(m.Manager) && (c.Before == nil || m.Time.Before(&metav1.Time{Time: *c.Before})) {
				c.Before, c.From = utc(m.Time.Time), fromReplicas
			}
		}
	}
}

var scaledTo = regexp.MustCompile(`^Scaled (?:up|down) replica set \S+ from (\d+) to (\d+)$`)

// scaling is one change of a number of replicas, as an event tells it.
type scaling struct {
	of       types.UID
	at       time.Time
	from, to string
}

func scalingOf(o snapshot.Object) (s scaling, ok bool) {
	word := func(fields ...string) string {
		text, _, _ := unstructured.NestedString(o.Object, fields...)
		return text
	}
	if word("reason") != "ScalingReplicaSet" {
		return s, false
	}
	m := scaledTo.FindStringSubmatch(word("message"))
	if m == nil {
		return s, false
	}
	return scaling{types.UID(word("involvedObject", "uid")), eventTime(o), m[1], m[2]}, true
}

// scaling is the newest event that came to the number that is live, one that went out from
// the declared one first: in a rollout others may come to the same number.
func (w *world) scaling(d *declaration, after *time.Time, declared, live string) (at time.Time, from string, ok bool) {
	var exact bool
	for _, s := range w.scalings[d.live.GetUID()] {
		if s.to != live || after != nil && s.at.Before(*after) || exact && s.from != declared {
			continue
		}
		if better := s.from == declared && !exact; better || !ok || s.at.After(at) {
			at, from, ok, exact = s.at, s.from, true, s.from == declared
		}
	}
	return at, from, ok
}

// eventTime is when an event last happened, by whichever of its fields says so.
func eventTime(e snapshot.Object) time.Time {
	for _, fields := range [][]string{{"series", "lastObservedTime"}, {"lastTimestamp"}, {"eventTime"}, {"firstTimestamp"}} {
		text, _, _ := unstructured.NestedString(e.Object, fields...)
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return at
		}
	}
	return e.GetCreationTimestamp().Time
}
