package triage

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"

	"demarc.dev/demarc/internal/finding"
)

// className that an Ingress asks for, empty where it leaves that to the default.
func className(i *networkingv1.Ingress) string {
	if i.Spec.IngressClassName != nil {
		return *i.Spec.IngressClassName
	}
	return i.Annotations[oldClass]
}

// DM207: no controller answers to its class.
func (w *world) class(i *networkingv1.Ingress, ref finding.Object) []found {
	if !w.knows(ingressClassKind, "") || i.Spec.IngressClassName == nil && i.Annotations[oldClass] != "" || len(i.Status.LoadBalancer.Ingress) > 0 {
		return nil // the older way needs no object
	}
	name := className(i)
	f := found{id: "DM207", object: ref, args: map[string]string{"class": name}, evidence: []finding.Evidence{{Object: ref, Field: "spec.ingressClassName", Value: name}}}
	switch {
	case name != "" && w.set.Get(ingressClassKind, "", name) == nil:
		f.message = fmt.Sprintf("ingress %s asks for the class %s, which is not there; there is %s", i.Name, name, orNone(w.classes()))
	case name == "" && !w.defaultClass():
		f.message = fmt.Sprintf("ingress %s names no class, and none is the default; there is %s", i.Name, orNone(w.classes()))
	default:
		return nil
	}
	return []found{f}
}

func (w *world) classes() (list []string) {
	for _, o := range w.objects[ingressClassKind] {
		list = append(list, o.GetName())
	}
	return list
}

func (w *world) defaultClass() bool {
	for _, o := range w.objects[ingressClassKind] {
		if o.GetAnnotations()["ingressclass.kubernetes.io/is-default-class"] == "true" {
			return true
		}
	}
	return false
}

// DM209: it is sound, and its controller has not taken it up.
func (w *world) unserved(i *networkingv1.Ingress, ref finding.Object) []found {
	if len(i.Status.LoadBalancer.Ingress) > 0 || w.since(i.CreationTimestamp.Time) < slow || !w.publishes(i) {
		return nil
	}
	f := found{id: "DM209", object: ref, args: map[string]string{"class": className(i)},
		message:  fmt.Sprintf("no ingress controller has taken up ingress %s, and it has taken up others of its class", i.Name),
		evidence: []finding.Evidence{{Object: ref, Field: "status.loadBalancer", Value: "empty", Time: i.CreationTimestamp.Time}}}
	if class := className(i); class != "" {
		f.shares = []finding.Object{{Group: ingressClassKind.Group, Kind: ingressClassKind.Kind, Name: class}}
		f.after = w.addonsOf("DM213")
	}
	return []found{f}
}

// publishes says that the controller of a class writes addresses at all: some never do.
func (w *world) publishes(i *networkingv1.Ingress) bool {
	if w.published == nil {
		w.published = map[string]bool{}
		for _, o := range w.ingresses {
			if len(o.Status.LoadBalancer.Ingress) > 0 {
				w.published[className(o)] = true
			}
		}
	}
	return w.published[className(i)]
}
