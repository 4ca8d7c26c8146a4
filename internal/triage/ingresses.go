package triage

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"demarc.dev/demarc/internal/finding"
)

// oldClass is the annotation by which an Ingress names its class in the older way.
const oldClass = "kubernetes.io/ingress.class"

// ingresses: DM205 to DM209.
func ingresses(w *world) (all []found) {
	for _, i := range w.ingresses {
		if i.DeletionTimestamp != nil || !w.still(ingressKind, i) {
			continue
		}
		ref := refOf(ingressKind, i)
		list := append(w.class(i, ref), w.certificatesOf(i, ref)...)
		if len(list) == 0 {
			list = w.unserved(i, ref)
		}
		all = append(append(all, w.backends(i, ref)...), list...)
	}
	return all
}

// backend is one way that an Ingress leads.
type backend struct {
	path string
	*networkingv1.IngressServiceBackend
}

func backendsOf(i *networkingv1.Ingress) (list []backend) {
	if d := i.Spec.DefaultBackend; d != nil && d.Service != nil {
		list = append(list, backend{"the default backend", d.Service})
	}
	for _, r := range i.Spec.Rules {
		if r.HTTP == nil {
			continue
		}
		for _, p := range r.HTTP.Paths {
			if s := p.Backend.Service; s != nil && s.Port.Name != "use-annotation" { // that is an action, and no Service
				list = append(list, backend{r.Host + p.Path, p.Backend.Service})
			}
		}
	}
	return list
}

// DM205, DM206, and DM212 for what leads to a Service that answers nobody.
func (w *world) backends(i *networkingv1.Ingress, ref finding.Object) (all []found) {
	for _, b := range backendsOf(i) {
		s := w.serviceOf[finding.Object{Kind: serviceKind.Kind, Namespace: i.Namespace, Name: b.Name}]
		seen := finding.Evidence{Object: ref, Field: "spec.rules.http.paths.backend.service", Value: b.Name + ":" + portWord(b.Port)}
		args := map[string]string{"service": b.Name}
		switch {
		case s == nil && w.knows(serviceKind, i.Namespace):
			all = append(all, found{id: "DM205", object: ref, part: b.Name, args: args, evidence: []finding.Evidence{seen},
				message: fmt.Sprintf("ingress %s leads %s to service %s, which is not there", i.Name, b.path, b.Name)})
		case s == nil:
		default:
			if !hasPort(s, b.Port) {
				all = append(all, found{id: "DM206", object: ref, part: b.Name + ":" + portWord(b.Port), args: args, evidence: []finding.Evidence{seen, {Object: refOf(serviceKind, s), Field: "spec.ports", Value: servicePortsOf(s)}},
					message: fmt.Sprintf("ingress %s leads %s to port %s of service %s, which has %s", i.Name, b.path, portWord(b.Port), b.Name, servicePortsOf(s))})
				continue
			}
			all = append(all, found{id: "DM212", only: true, object: ref, part: b.Name, args: args, evidence: []finding.Evidence{seen},
				message: fmt.Sprintf("ingress %s leads %s to service %s, behind which nothing answers", i.Name, b.path, b.Name),
				after:   []cause{{refOf(serviceKind, s), []string{"DM201", "DM202", "DM203"}}}})
		}
	}
	return all
}

func portWord(p networkingv1.ServiceBackendPort) string {
	if p.Name != "" {
		return p.Name
	}
	return fmt.Sprint(p.Number)
}

func hasPort(s *corev1.Service, want networkingv1.ServiceBackendPort) bool {
	return s.Spec.Type == corev1.ServiceTypeExternalName || slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool {
		return want.Name != "" && p.Name == want.Name || want.Name == "" && p.Port == want.Number
	})
}

func servicePortsOf(s *corev1.Service) string {
	var out []string
	for _, p := range s.Spec.Ports {
		word := fmt.Sprint(p.Port)
		if p.Name != "" {
			word = p.Name + " (" + word + ")"
		}
		out = append(out, word)
	}
	return orNone(out)
}

// DM208: the Secret of its certificate is not there.
func (w *world) certificatesOf(i *networkingv1.Ingress, ref finding.Object) (all []found) {
	for _, t := range i.Spec.TLS {
		if t.SecretName == "" || !w.absent(secretKind, i.Namespace, t.SecretName) {
			continue
		}
		secret := finding.Object{Kind: "Secret", Namespace: i.Namespace, Name: t.SecretName}
		if w.making(secret) || issued(i) && !w.stillFor(ingressKind, i, slow) {
			continue
		}
		all = append(all, found{id: "DM208", object: ref, part: t.SecretName, args: map[string]string{"secret": t.SecretName}, after: w.makersOf(secret),
			message:  fmt.Sprintf("ingress %s takes its certificate for %s from secret %s, which is not there", i.Name, strings.Join(t.Hosts, ", "), t.SecretName),
			evidence: []finding.Evidence{{Object: ref, Field: "spec.tls.secretName", Value: t.SecretName}}})
	}
	return all
}

// issued says that cert-manager is asked by the Ingress itself for its certificate.
func issued(i *networkingv1.Ingress) bool {
	return i.Annotations["cert-manager.io/cluster-issuer"] != "" || i.Annotations["cert-manager.io/issuer"] != "" || i.Annotations["kubernetes.io/tls-acme"] == "true"
}
