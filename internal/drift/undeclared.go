package drift

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

// undeclared lists what is in a namespace that nobody declares and no controller made.
func (w *world) undeclared() {
	for _, namespace := range w.q.Namespaces {
		for _, o := range w.set.In(namespace) {
			if w.declared[keyOf(o)] || o.GetDeletionTimestamp() != nil || len(o.GetOwnerReferences()) > 0 || w.clusters(o) || w.demarcs(o) {
				continue
			}
			d := &declaration{live: o}
			out := w.difference(Undeclared, d, nil, w.maker(o))
			out.Severity = finding.Note
			out.Message = w.whyUndeclared(o)
			out.Then = Then{Stays, "it stays as it is, and nothing brings it back when it is lost"}
			out.Mend.Says = "declare it in Git if it is needed, or delete it"
			w.add(d, out, nil)
		}
	}
}

func (w *world) whyUndeclared(o snapshot.Object) string {
	app, named := w.tracking(o)
	switch id := o.GetAnnotations()[argocd.TrackingID]; {
	case app == nil && named != "":
		return "it is tracked by Application " + named + ", which is not there: no Git declares it"
	case id != "":
		return fmt.Sprintf("it carries the tracking id of another object (%s): no Git declares it", id)
	default:
		return "no Git and no claim declares it"
	}
}

// clusters are objects that a cluster makes in every namespace, or for others.
func (w *world) clusters(o snapshot.Object) bool {
	k := keyOf(o)
	switch k.Kind {
	case "Event", "Endpoints", "EndpointSlice", "Lease", "ControllerRevision", "PodMetrics":
		return true
	case "ServiceAccount":
		if k.name == "default" {
			return true
		}
	case "ConfigMap":
		if k.name == "kube-root-ca.crt" {
			return true
		}
	case "Secret":
		kind, _, _ := unstructured.NestedString(o.Object, "type")
		if kind == string(corev1.SecretTypeServiceAccountToken) || o.GetLabels()["owner"] == "helm" {
			return true
		}
	}
	return w.controllers(o)
}

// demarcs are objects that the operator keeps for a team.
func (w *world) demarcs(o snapshot.Object) bool {
	return w.marked(o) || w.rendered[keyOf(o)].Claim != "" && !w.argo()
}

// maker is who made an object, as far as the managed fields tell: the manager that wrote
// first.
func (w *world) maker(o snapshot.Object) *Change {
	for _, write := range w.q.Writes {
		if write.of(o) && write.Made {
			return &Change{Manager: write.Manager, Tool: tool(write.entry()), Is: who.Manager(write.Manager), User: write.User, As: write.As, At: utc(write.At), From: fromAudit}
		}
	}
	var first *entry
	for _, e := range entriesOf(o) {
		if e.Time == nil {
			continue
		}
		// Who made it with a controller's name is told where nobody else wrote.
		if other := first == nil || automatic(first.Manager); other && !automatic(e.Manager) || other == automatic(e.Manager) && (first == nil || e.Time.Before(first.Time)) {
			first = &e
		}
	}
	if first == nil {
		return nil
	}
	return &Change{Manager: first.Manager, Operation: string(first.Operation), Tool: tool(*first), Is: who.Manager(first.Manager), At: utc(first.Time.Time), From: fromFields}
}

// deleted is who took an object away, where an audit log tells.
func (w *world) deleted(o snapshot.Object) *Change {
	for _, write := range slices.Backward(w.q.Writes) {
		if write.of(o) && write.Gone {
			return &Change{Manager: write.Manager, Tool: write.Agent, User: write.User, As: write.As, At: utc(write.At), From: fromAudit}
		}
	}
	return nil
}
