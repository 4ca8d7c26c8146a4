package render

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
)

// Hosts are those that a claim asks for, sorted; none where it is not exposed. Without a
// host of its own it has the one that the Platform's domain gives.
func Hosts(c *v1alpha1.ServiceClaim, s Settings) []string {
	e := c.Spec.Expose
	if e == nil {
		return nil
	}
	var hosts []string
	switch {
	case e.Host != "":
		hosts = append(hosts, string(e.Host))
	case s.Expose.Domain != "":
		hosts = append(hosts, c.Name+"."+c.Spec.Team+"."+s.Expose.Domain)
	}
	for _, a := range e.Aliases {
		hosts = append(hosts, string(a))
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// expose is what the chart gets for an Ingress or an HTTPRoute.
func expose(c *v1alpha1.ServiceClaim, s Settings) (map[string]any, error) {
	e := c.Spec.Expose
	if e.Host == "" && s.Expose.Domain == "" {
		return nil, &Refusal{"ExposeNotConfigured", "expose names no host, and Platform/default has no spec.expose.domain from which it would get one"}
	}
	hosts := []any{}
	for _, h := range Hosts(c, s) {
		hosts = append(hosts, h)
	}
	v := map[string]any{"kind": string(v1alpha1.ExposeIngress), "hosts": hosts, "path": "/"}
	if e.Path != "" {
		v["path"] = e.Path
	}
	if e.Port != "" {
		v["port"] = e.Port
	}
	if s.Expose.Kind == v1alpha1.ExposeHTTPRoute {
		return route(v, e, s)
	}
	if class := e.Class; class != "" {
		v["class"] = class
	} else if s.Expose.ClassName != "" {
		v["class"] = s.Expose.ClassName
	}
	if e.TLS != nil {
		v["tlsSecret"] = c.Name + "-tls"
		if e.TLS.SecretName != "" {
			v["tlsSecret"] = e.TLS.SecretName
		} else if s.Expose.Issuer != "" {
			v["issuer"] = s.Expose.Issuer
		}
	}
	return v, nil
}

// route attaches to the Platform's gateway, which has classes and certificates of its own.
func route(v map[string]any, e *v1alpha1.ClaimExpose, s Settings) (map[string]any, error) {
	field := ""
	switch {
	case s.Expose.Gateway == nil:
		return nil, &Refusal{"ExposeNotConfigured", "Platform/default exposes by HTTPRoute and names no gateway in spec.expose"}
	case e.Class != "":
		field = "expose.class"
	case e.TLS != nil && e.TLS.SecretName != "":
		field = "expose.tls.secretName"
	}
	if field != "" {
		return nil, &Refusal{"ExposeUnfit", field + " is for an Ingress, and this platform exposes by HTTPRoute: its gateway has classes and certificates of its own"}
	}
	v["kind"] = string(v1alpha1.ExposeHTTPRoute)
	g := s.Expose.Gateway
	gateway := map[string]any{"namespace": g.Namespace, "name": g.Name}
	if g.SectionName != "" {
		gateway["sectionName"] = g.SectionName
	}
	v["gateway"] = gateway
	return v, nil
}
