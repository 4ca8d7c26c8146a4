package triage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/finding"
)

// addons that the whole cluster needs, of which nothing runs: DM213 and DM214.
func addons(w *world) (all []found) {
	for _, namespace := range slices.Sorted(maps.Keys(w.workloadsIn)) {
		for _, wl := range w.workloadsIn[namespace] {
			id, what := w.addon(wl)
			if id == "" || wl.replicas == 0 || w.anyReady(wl.ref) || !w.knows(podKind, wl.ref.Namespace) || !w.longWithout(w.podsOf[wl.ref]) {
				continue
			}
			f := found{id: id, object: wl.ref, message: fmt.Sprintf("no pod of %s, %s, is ready", words(wl.ref), what),
				evidence: []finding.Evidence{{Object: wl.ref, Field: "spec.template.metadata.labels", Value: pairs(wl.labels)}}, after: afterOf(wl.ref, "DM142")}
			for _, p := range w.podsOf[wl.ref] {
				f.evidence = append(f.evidence, p.seen("status.conditions[Ready]", "False", readySince(p)))
				f.after = append(f.after, cause{p.node(), nodeDown})
			}
			all = append(all, f)
		}
	}
	return all
}

// addon tells the DNS of the cluster and controllers of Ingresses by the labels that their
// own manifests carry. What a team runs is its own.
func (w *world) addon(wl workload) (id, what string) {
	if w.teamOf(wl.ref.Namespace) != "" {
		return "", ""
	}
	name := wl.labels["app.kubernetes.io/name"]
	switch {
	case wl.labels["k8s-app"] == "kube-dns" && wl.ref.Namespace == kubeSystem:
		return "DM214", "the DNS of the cluster"
	case wl.ref.Kind != deploymentKind.Kind && wl.ref.Kind != daemonSetKind.Kind:
		return "", ""
	case name == "ingress-nginx" && wl.labels["app.kubernetes.io/component"] == "controller",
		name == "traefik", strings.HasPrefix(name, "haproxy-ingress"), name == "contour" && wl.labels["app.kubernetes.io/component"] != "envoy":
		return "DM213", "an ingress controller"
	}
	return "", ""
}

// addonsOf are those of which nothing may run, by the finding that says so, as causes.
func (w *world) addonsOf(finding string) (causes []cause) {
	if causes, known := w.parts[finding]; known {
		return causes
	}
	for _, namespace := range slices.Sorted(maps.Keys(w.workloadsIn)) {
		for _, wl := range w.workloadsIn[namespace] {
			if id, _ := w.addon(wl); id == finding {
				causes = append(causes, cause{wl.ref, []string{finding}})
			}
		}
	}
	w.parts[finding] = causes
	return causes
}
