package triage

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
)

// frozen are controllers that do not see the newest of their objects: DM414. When an
// admission policy refuses what they write they say nothing at all; only generations differ.
func frozen(w *world) (all []found) {
	for _, kind := range []schema.GroupKind{deploymentKind, statefulSetKind, daemonSetKind, replicaSetKind} {
		for _, o := range w.objects[kind] {
			observed, _ := child(o.Object, "status")["observedGeneration"].(int64)
			if o.GetDeletionTimestamp() != nil || o.GetGeneration() <= observed {
				continue
			}
			at, known := lastChange(o)
			severity := finding.Error
			if at.IsZero() {
				at, severity = o.GetCreationTimestamp().Time, finding.Warning
			}
			if !known || !w.settled(at) {
				continue
			}
			ref := w.topOwner(refOf(kind, o), o)
			all = append(all, found{id: "DM414", severity: severity, object: ref, part: o.GetName(), args: map[string]string{"kind": strings.ToLower(kind.Kind), "name": o.GetName()},
				message:  fmt.Sprintf("the controller of %ss has not taken up the last change of %s", strings.ToLower(kind.Kind), o.GetName()),
				evidence: []finding.Evidence{{Object: refOf(kind, o), Field: "metadata.generation, status.observedGeneration", Value: fmt.Sprintf("%d, %d", o.GetGeneration(), observed), Time: at}},
				after:    w.partsOf("kube-controller-manager")})
		}
	}
	return all
}
