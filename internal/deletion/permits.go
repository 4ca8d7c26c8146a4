package deletion

import (
	"regexp"
	"strings"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
)

// project is what of an AppProject decides whether Argo CD may delete an object: one
// that is not permitted is passed over without a word.
type project struct {
	Spec struct {
		Destinations               []destination `json:"destinations"`
		NamespaceResourceWhitelist []kindPattern `json:"namespaceResourceWhitelist"`
		NamespaceResourceBlacklist []kindPattern `json:"namespaceResourceBlacklist"`
		ClusterResourceWhitelist   []kindPattern `json:"clusterResourceWhitelist"`
		ClusterResourceBlacklist   []kindPattern `json:"clusterResourceBlacklist"`
	} `json:"spec"`
}

type destination struct {
	Server    string `json:"server"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type kindPattern struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
}

// forbids says why a project does not permit an object of this cluster; empty where
// it does.
func (p project) forbids(o Object) string {
	if !p.permitsKind(o) {
		return "its AppProject does not permit the kind " + o.Kind
	}
	if o.Namespace != "" && !p.permitsNamespace(o.Namespace) {
		return "its AppProject does not permit the namespace " + o.Namespace
	}
	return ""
}

// permitsKind: without a list all kinds of a namespace are permitted, and none outside.
func (p project) permitsKind(o Object) bool {
	if o.Namespace == "" {
		return listed(p.Spec.ClusterResourceWhitelist, o) && !listed(p.Spec.ClusterResourceBlacklist, o)
	}
	allowed := p.Spec.NamespaceResourceWhitelist == nil || listed(p.Spec.NamespaceResourceWhitelist, o)
	return allowed && !listed(p.Spec.NamespaceResourceBlacklist, o)
}

func listed(patterns []kindPattern, o Object) bool {
	for _, p := range patterns {
		if matches(p.Kind, o.Kind) && matches(p.Group, o.Group) && (p.Name == "" || matches(p.Name, o.Name)) {
			return true
		}
	}
	return false
}

// permitsNamespace asks the destinations of this cluster. One pattern that begins with
// '!' and denies outweighs all that allow.
func (p project) permitsNamespace(namespace string) bool {
	allowed := false
	for _, d := range p.Spec.Destinations {
		name, server, there := matches(d.Name, "in-cluster"), matches(d.Server, argocd.InCluster), matches(d.Namespace, namespace)
		switch {
		case (name || server) && there:
			allowed = true
		case !name && denies(d.Name), !server && denies(d.Server) && there, !there && denies(d.Namespace) && server:
			return false
		}
	}
	return allowed
}

func denies(pattern string) bool { return strings.HasPrefix(pattern, "!") }

// matches is a shell pattern that goes over every character, with '!' in front for its
// opposite. One that is no pattern matches nothing.
func matches(pattern, value string) bool {
	if denies(pattern) {
		return !matches(pattern[1:], value)
	}
	compiled, err := regexp.Compile(`^(?s:` + shell.Replace(regexp.QuoteMeta(pattern)) + `)$`)
	return err == nil && compiled.MatchString(value)
}

// shell turns what a shell pattern means, quoted as plain text, into an expression.
var shell = strings.NewReplacer(`\*`, `.*`, `\?`, `.`, `\[!`, `[^`, `\[`, `[`, `\]`, `]`, `\{`, `(?:`, `\}`, `)`, `,`, `|`)

// projectOf is the AppProject that an Application names.
func (e *explainer) projectOf(app snapshot.Object) (name string, found *project, missing bool) {
	name = argocd.ProjectOf(app)
	o := e.set.Get(kindProject, app.GetNamespace(), name)
	if o == nil {
		return name, nil, !e.needs(Object{kindProject.Group, kindProject.Kind, app.GetNamespace(), name})
	}
	p, err := snapshot.Into[project](o)
	if err != nil {
		return name, nil, false
	}
	return name, p, false
}
