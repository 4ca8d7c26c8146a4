package triage

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/internal/finding"
)

// all containers of a pod that may listen: sidecars among the init containers do too.
func listening(p *pod) []corev1.Container {
	list := slices.Clone(p.Spec.Containers)
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			list = append(list, c)
		}
	}
	return list
}

// listens says that a container declares the port that a Service leads to.
func listens(p *pod, port corev1.ServicePort) bool {
	protocol := port.Protocol
	if protocol == "" {
		protocol = corev1.ProtocolTCP
	}
	for _, c := range listening(p) {
		for _, have := range c.Ports {
			of := have.Protocol
			if of == "" {
				of = corev1.ProtocolTCP
			}
			if of == protocol && (port.TargetPort.Type == intstr.String && have.Name == port.TargetPort.StrVal || port.TargetPort.Type == intstr.Int && have.ContainerPort == port.TargetPort.IntVal) {
				return true
			}
		}
	}
	return false
}

// portsOf are the ports that pods declare, in words.
func portsOf(list []*pod) (out []string) {
	for _, p := range list {
		for _, c := range listening(p) {
			for _, have := range c.Ports {
				word := fmt.Sprint(have.ContainerPort)
				if have.Name != "" {
					word = have.Name + " (" + word + ")"
				}
				out = append(out, word)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// servicePorts are ports that lead nowhere: DM203, and the hint DM204.
func servicePorts(w *world) (all []found) {
	for _, s := range w.services {
		if len(s.Spec.Selector) == 0 || s.DeletionTimestamp != nil || !w.still(serviceKind, s) {
			continue
		}
		behind := w.behind(s)
		if len(behind) == 0 {
			continue
		}
		for _, port := range s.Spec.Ports {
			if f := w.port(s, port, behind); f != nil {
				all = append(all, *f)
			}
		}
	}
	return all
}

func (w *world) port(s *corev1.Service, port corev1.ServicePort, behind []*pod) *found {
	ref, declared := refOf(serviceKind, s), portsOf(behind)
	seen := []finding.Evidence{{Object: ref, Field: "spec.ports.targetPort", Value: port.TargetPort.String()},
		{Object: behind[0].ref, Field: "spec.containers.ports", Value: strings.Join(declared, ", ")}}
	if port.TargetPort.Type == intstr.String {
		if slices.ContainsFunc(behind, func(p *pod) bool { return listens(p, port) }) || w.slicesCarry(ref, port) {
			return nil
		}
		return &found{id: "DM203", object: ref, part: port.TargetPort.StrVal, args: map[string]string{"port": port.TargetPort.StrVal}, evidence: seen,
			message: fmt.Sprintf("service %s leads to a port named %s, and no container of its pods has one of that name; they have %s", s.Name, port.TargetPort.StrVal, orNone(declared))}
	}
	// A port need not be declared, so that one is not is no more than a hint, and only where
	// others are.
	if len(declared) == 0 || slices.ContainsFunc(behind, func(p *pod) bool { return listens(p, port) }) {
		return nil
	}
	return &found{id: "DM204", object: ref, part: port.TargetPort.String(), args: map[string]string{"port": port.TargetPort.String()}, evidence: seen,
		message: fmt.Sprintf("service %s leads to port %s, and its pods declare others: %s", s.Name, port.TargetPort.String(), strings.Join(declared, ", "))}
}

func (w *world) slicesCarry(ref finding.Object, port corev1.ServicePort) bool {
	return slices.ContainsFunc(w.slicesOf[ref], func(s *discoveryv1.EndpointSlice) bool {
		return slices.ContainsFunc(s.Ports, func(p discoveryv1.EndpointPort) bool { return p.Name != nil && *p.Name == port.Name && p.Port != nil })
	})
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
