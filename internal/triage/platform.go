package triage

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

const kubeSystem = "kube-system"

// controlPlane are static pods of the control plane that are not ready: DM519.
func controlPlane(w *world) (all []found) {
	for _, p := range w.podsIn[kubeSystem] {
		if p.Labels["tier"] != "control-plane" || podReady(p) || p.Status.Phase == corev1.PodSucceeded || !w.settled(readySince(p)) {
			continue
		}
		f := p.of("DM519", fmt.Sprintf("%s of the control plane is not ready", p.Labels["component"]), p.seen("status.conditions[Ready]", "False", readySince(p)))
		f.after = []cause{{p.node(), nodeDown}}
		all = append(all, f)
	}
	return all
}

// partsOf the control plane as causes.
func (w *world) partsOf(component string) (causes []cause) {
	for _, p := range w.podsIn[kubeSystem] {
		if p.Labels["component"] == component {
			causes = append(causes, cause{p.top, []string{"DM519"}})
		}
	}
	return causes
}

// apiServices that are not available: DM508.
func apiServices(w *world) (all []found) {
	for _, o := range w.objects[apiServiceKind] {
		v, ok := verdictOf(o, "Available")
		if !ok || !w.bad(v) || o.GetDeletionTimestamp() != nil {
			continue
		}
		ref, by := refOf(apiServiceKind, o), child(child(o.Object, "spec"), "service")
		f := found{id: "DM508", object: ref, message: fmt.Sprintf("the API %s is not available: %s", o.GetName(), v.reason), evidence: []finding.Evidence{v.evidence(ref)}}
		f.after = w.servedFrom(text(by, "namespace"), text(by, "name"))
		all = append(all, f)
	}
	return all
}

// servedFrom are the Service and the workloads behind it as causes.
func (w *world) servedFrom(namespace, name string) (causes []cause) {
	for _, s := range w.servicesIn[namespace] {
		if s.Name != name {
			continue
		}
		tops, _ := w.makersBehind(s)
		for _, top := range tops {
			causes = append(causes, cause{top, nil})
		}
		for _, p := range w.behind(s) {
			causes = append(causes, cause{p.node(), nodeDown})
		}
	}
	return causes
}

// definitions of kinds that are not served: DM520.
func definitions(w *world) (all []found) {
	for _, o := range w.objects[definitionKind] {
		v, ok := verdictOf(o, "NamesAccepted")
		if !ok || !w.bad(v) {
			v, ok = verdictOf(o, "Established")
		}
		if !ok || !w.bad(v) || o.GetDeletionTimestamp() != nil {
			continue
		}
		ref := refOf(definitionKind, o)
		all = append(all, found{id: "DM520", object: ref, message: fmt.Sprintf("the kind of %s is not served: %s", o.GetName(), said(v.reason+": "+v.message)), evidence: []finding.Evidence{v.evidence(ref)}})
	}
	return all
}
