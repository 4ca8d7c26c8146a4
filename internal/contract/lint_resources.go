package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"demarc.dev/demarc/api/v1alpha1"
)

// exceptions are what a team may not approve for itself.
var exceptions = schema.GroupKind{Group: demarc, Kind: "GuardrailException"}

// ownExceptions refuses a contract by which teams let themselves off the platform's rules.
func (l *lint) ownExceptions(path string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource, gk schema.GroupKind) {
	if _, asked := r.Operations[asks]; asked && gk == exceptions && has(v1alpha1.PartyTeam)(d.Approves) {
		l.refuse(path, "domain %s is approved by %s, and a team would let itself off the platform's guardrails: put GuardrailException into a domain that the platform approves", d.Name, d.Approves)
	}
}

// narrowed is one entry about a part of a kind.
type narrowed struct {
	schema.GroupKind
	name, label, field string
}

func (l *lint) resource(path string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource) {
	if strings.Contains(r.Group, "/") {
		l.refuse(path+".group", "%q holds a version: name the group alone, as in %q", r.Group, strings.Split(r.Group, "/")[0])
		return
	}
	if len(r.Kinds) == 0 {
		l.refuse(path+".kinds", "it names no kind: name at least one, or take the entry out")
	}
	for i, kind := range r.Kinds {
		at := fmt.Sprintf("%s.kinds[%d]", path, i)
		if gk := (schema.GroupKind{Group: r.Group, Kind: kind}); l.kind(at, gk) {
			l.once(path, at, d, r, gk)
			l.ownExceptions(at, d, r, gk)
			l.operationsOn(path, d, r, gk)
		}
	}
	l.roles(path, r)
	l.label(path, r.Label)
	l.mark(path, r)
	if strings.ContainsAny(r.Name, "*? ") {
		l.refuse(path+".name", "%q is no name of an object: names are taken as they are written", r.Name)
	}
	for i, field := range r.Fields {
		at := fmt.Sprintf("%s.fields[%d]", path, i)
		l.field(at, field, d, r)
		if Defaulted(field) && writes(d, onlyPlatform, "").Create {
			l.note(at, "the API server fills %s in where nobody says it, so admission guards it from the first change on: at creation anybody may set it", field)
		}
	}
}

// kind refuses what nothing serves; a group that Demarc does not know may be anybody's.
func (l *lint) kind(path string, gk schema.GroupKind) bool {
	if _, ok := ServedKind(gk); ok {
		return true
	}
	var inGroup, everywhere []string
	for _, k := range Kinds {
		if k.Kind == gk.Kind {
			l.refuse(path, "group %q has no kind %s, group %q has: name that group", gk.Group, gk.Kind, k.Group)
			return false
		}
		everywhere = append(everywhere, k.Kind)
		if k.Group == gk.Group {
			inGroup = append(inGroup, k.Kind)
		}
	}
	switch {
	case gk.Kind == "" || strings.ContainsAny(gk.Kind, "*/. "):
		l.refuse(path, "%q is no kind: name each kind as it is written in manifests, such as Deployment", gk.Kind)
		return false
	case len(inGroup) > 0:
		// The same slip may be in the group.
		if _, here := Nearest(gk.Kind, inGroup); !here {
			inGroup = everywhere
		}
		l.refuse(path, "group %q has no kind %s: %s", gk.Group, gk.Kind, choose(gk.Kind, inGroup, "take it out"))
		return false
	case strings.HasSuffix(gk.Group, ".k8s.io") || !strings.Contains(gk.Group, "."):
		l.refuse(path, "there is no group %q: %s", gk.Group, choose(gk.Group, groups(), "take it out"))
		return false
	}
	l.note(path, "%s is no kind of Kubernetes, Argo CD or Demarc: demarc who answers for it, but roles, admission and AppProjects are made for those alone", gk)
	return true
}

func groups() []string {
	all := map[string]bool{}
	for _, k := range Kinds {
		if k.Group != "" {
			all[k.Group] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// once refuses a kind, or the same part of a kind, that two entries claim.
func (l *lint) once(path, at string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource, gk schema.GroupKind) {
	if !narrows(r) {
		if first, twice := l.wide[gk]; twice {
			l.refuse(at, "%s is in %s already: one owner is to be named, or one of the two narrowed by name, label or fields", gk, first)
		}
		l.wide[gk] = "domain " + d.Name
		return
	}
	fields := r.Fields
	if len(fields) == 0 {
		fields = []string{""}
	}
	for i, field := range fields {
		n := narrowed{gk, r.Name, r.Label, field}
		if first, twice := l.narrow[n]; twice {
			where := at
			if field != "" {
				where = fmt.Sprintf("%s.fields[%d]", path, i)
			}
			l.refuse(where, "the same part of %s (%s) is in %s already: one of the two is to go", gk, n, first)
		}
		l.narrow[n] = "domain " + d.Name
	}
}

func (n narrowed) String() string {
	var parts []string
	for _, p := range []struct{ what, is string }{{"name", n.name}, {"label", n.label}, {"field", n.field}} {
		if p.is != "" {
			parts = append(parts, p.what+" "+p.is)
		}
	}
	return strings.Join(parts, ", ")
}

const roleNames = "view, operate, edit or nobody"

func (l *lint) roles(path string, r *v1alpha1.ContractResource) {
	if r.Read != "" && !isRole(r.Read) {
		l.refuse(path+".read", "%q is no role: name %s", r.Read, roleNames)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Operations)) {
		l.operation(path+".operations."+name, name, r.Operations[name])
	}
	// A wide entry says who reads; the API server's own default for read is view.
	if narrows(r) && (len(r.Operations) > 0 || r.Read != "" && r.Read != v1alpha1.TeamView) {
		l.warn(path, "read and operations count for a kind as a whole alone: move them to the entry without name, label and fields")
	}
}

func isRole(role v1alpha1.TeamRole) bool {
	switch role {
	case v1alpha1.TeamView, v1alpha1.TeamOperate, v1alpha1.TeamEdit, v1alpha1.TeamNobody:
		return true
	default:
		return false
	}
}

func (l *lint) label(path, text string) {
	if text == "" {
		return
	}
	key, value, _ := strings.Cut(text, "=")
	wrong := slices.Concat(validation.IsQualifiedName(key), validation.IsValidLabelValue(value))
	if len(wrong) > 0 {
		l.refuse(path+".label", "%q is no label, KEY or KEY=VALUE: %s", text, wrong[0])
	}
}
