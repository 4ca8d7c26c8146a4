package triage

import (
	"fmt"

	"demarc.dev/demarc/internal/finding"
)

func (v verdict) evidence(of finding.Object) finding.Evidence {
	return finding.Evidence{Object: of, Field: "status.conditions[" + v.kind + "]", Value: said(v.status + " " + v.reason + ": " + v.message), Time: v.at}
}

// routes are HTTPRoutes: DM215 and DM216.
func routes(w *world) (all []found) {
	for _, o := range w.objects[routeKind] {
		if o.GetDeletionTimestamp() != nil {
			continue
		}
		ref := refOf(routeKind, o)
		parents, _ := child(o.Object, "status")["parents"].([]any)
		for _, p := range parents {
			parent, _ := p.(map[string]any)
			gateway := child(parent, "parentRef")
			namespace := text(gateway, "namespace")
			if namespace == "" {
				namespace = o.GetNamespace()
			}
			of := finding.Object{Group: gatewayKind.Group, Kind: gatewayKind.Kind, Namespace: namespace, Name: text(gateway, "name")}
			for _, v := range verdicts(parent["conditions"]) {
				if !w.bad(v) {
					continue
				}
				f := found{object: ref, part: of.Name, args: map[string]string{"gateway": of.Name}, evidence: []finding.Evidence{v.evidence(ref)}}
				switch v.kind {
				case "ResolvedRefs":
					f.id, f.message = "DM215", fmt.Sprintf("route %s leads to what cannot be resolved: %s", o.GetName(), said(v.reason+": "+v.message))
				case "Accepted":
					f.id, f.message = "DM216", fmt.Sprintf("gateway %s does not take route %s: %s", of.Name, o.GetName(), said(v.reason+": "+v.message))
					f.after = []cause{{of, []string{"DM218"}}}
				default:
					continue
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// gateways that are not programmed: DM218.
func gateways(w *world) (all []found) {
	for _, o := range w.objects[gatewayKind] {
		v, ok := verdictOf(o, "Programmed")
		if !ok || !w.bad(v) || o.GetDeletionTimestamp() != nil {
			continue
		}
		ref := refOf(gatewayKind, o)
		all = append(all, found{id: "DM218", object: ref, message: fmt.Sprintf("gateway %s is not served: %s", o.GetName(), said(v.reason+": "+v.message)), evidence: []finding.Evidence{v.evidence(ref)}})
	}
	return all
}
