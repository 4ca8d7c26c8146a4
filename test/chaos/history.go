package main

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/test/auditlog"
)

// history is what the audit log tells of a round: who wrote what, in the order of versions, which is one order for all
// kinds of object.
type history struct {
	// lives of claims and Applications, by UID.
	claims, applications map[types.UID]*life
	// ends are the moments from which something was meant to go.
	namespaces, projects, drained []end
	// strangers are namespaces and projects that somebody else made; ours the rest of what the operator writes.
	strangers map[types.UID]string
	ours      map[string]bool
	trespass  []string
	// outages are when the API server was ended: what was written then may not be in the log.
	outages []time.Time
	// unsure are writes that failed although they may have been done, by the object's name: the one who asked was killed.
	unsure map[string][]time.Time
	writes int
	// clock is the highest version that was seen at a time.
	clock []tick
}

type tick struct {
	at      time.Time
	version uint64
}

// life is how one object fared.
type life struct {
	name, of string
	facts    []fact
}

// fact is what was true of it from a version on.
type fact struct {
	version           uint64
	at                time.Time
	held, going, gone bool
}

// end is an object that is being deleted, or was marked as drained, from a version on.
type end struct {
	name    string
	owner   types.UID
	version uint64
	at      time.Time
}

func newHistory(outages []time.Time) *history {
	return &history{
		claims: map[types.UID]*life{}, applications: map[types.UID]*life{}, strangers: map[types.UID]string{}, ours: map[string]bool{},
		outages: outages, unsure: map[string][]time.Time{},
	}
}

// add takes one event of the log.
func (h *history) add(r auditlog.Request) {
	if !r.Changes() {
		h.failed(r)
		return
	}
	if r.User.Username == auditlog.OperatorUser {
		h.operatorWrote(r)
	}
	o := r.ResponseObject
	if o != nil && o.Kind == "Status" {
		h.gone(h.claims[o.Details.UID], r)
		h.gone(h.applications[o.Details.UID], r)
	}
	if o == nil || o.Metadata.UID == "" {
		return
	}
	h.clock = append(h.clock, tick{r.StageTimestamp, max(version(r), h.versionAt(r.StageTimestamp))})
	switch r.ObjectRef.Resource {
	case "serviceclaims":
		h.live(h.claims, o.Spec.Team, v1alpha1.FinalizerClaim, r)
	case "applications":
		h.live(h.applications, o.Spec.Project, "", r)
		h.drained = mark(h.drained, r)
	case "appprojects":
		h.strange(r)
		h.projects = mark(h.projects, r)
	case "namespaces":
		h.strange(r)
		if o.Metadata.Labels[v1alpha1.LabelTenant] != "" {
			h.namespaces = mark(h.namespaces, r)
		}
	}
}

// failed notes what may have been done all the same.
func (h *history) failed(r auditlog.Request) {
	if r.ResponseStatus.Code/100 != 5 || r.Verb == "get" || r.Verb == "list" || r.Verb == "watch" {
		return
	}
	h.unsure[r.ObjectRef.Name] = append(h.unsure[r.ObjectRef.Name], r.StageTimestamp)
	if r.User.Username == auditlog.OperatorUser && r.Verb != "delete" {
		h.ours[named(r)] = true
	}
}

// named is what a request was about.
func named(r auditlog.Request) string {
	return r.ObjectRef.Resource + " " + r.ObjectRef.Namespace + "/" + r.ObjectRef.Name
}

func (h *history) strange(r auditlog.Request) {
	if r.Verb == "create" && r.User.Username != auditlog.OperatorUser {
		h.strangers[r.ResponseObject.Metadata.UID] = r.ObjectRef.Resource + " " + r.ObjectRef.Name
	}
}

// versionAt is the highest version that was answered before a time.
func (h *history) versionAt(at time.Time) uint64 {
	i := sort.Search(len(h.clock), func(i int) bool { return !h.clock[i].at.Before(at) })
	if i == 0 {
		return 0
	}
	return h.clock[i-1].version
}

// live adds a fact to the life of an object. It is held while it carries a finalizer: this one, or where none is named any.
func (h *history) live(lives map[types.UID]*life, of, by string, r auditlog.Request) {
	m := r.ResponseObject.Metadata
	l := lives[m.UID]
	if l == nil {
		l = &life{name: m.Name, of: of}
		lives[m.UID] = l
	}
	if m.DeletionTimestamp != nil && len(m.Finalizers) == 0 {
		h.gone(l, r)
		return
	}
	f := fact{version: version(r), at: r.StageTimestamp, going: m.DeletionTimestamp != nil, held: by == "" || slices.Contains(m.Finalizers, by)}
	l.facts = append(l.facts, f)
}

// gone ends a life. Whatever version the answer carries, the object went after all that was answered when this was asked.
func (h *history) gone(l *life, r auditlog.Request) {
	if l == nil {
		return
	}
	f := fact{version: h.versionAt(r.RequestReceivedTimestamp), at: r.StageTimestamp, going: true, gone: true}
	f.version++
	l.facts = append(l.facts, f)
}

// mark notes an object's first write with the mark that lets it be deleted, or with its deletion begun.
func mark(ends []end, r auditlog.Request) []end {
	m := r.ResponseObject.Metadata
	if m.DeletionTimestamp == nil && m.Annotations[v1alpha1.AnnotationDrained] == "" {
		return ends
	}
	owner := types.UID(m.Annotations[v1alpha1.AnnotationOwnerUID])
	if slices.ContainsFunc(ends, func(e end) bool { return e.name == m.Name && e.owner == owner }) {
		return ends
	}
	return append(ends, end{m.Name, owner, version(r), r.StageTimestamp})
}

func version(r auditlog.Request) uint64 {
	n, _ := strconv.ParseUint(r.ResponseObject.Metadata.ResourceVersion, 10, 64) // 0, before all, where it has none
	return n
}

// own are kinds that the operator writes without owning them: what people ask for, and what it says.
var own = []string{"tenants", "serviceclaims", "platforms", "leases", "events"}

// shared is Argo CD's, and holds a few fields of Demarc's: how Argo CD tells the health of Demarc's kinds.
const shared = "configmaps argocd/" + argocd.ConfigMap

func (h *history) operatorWrote(r auditlog.Request) {
	name, resource := named(r), r.ObjectRef.Resource
	if slices.Contains(own, resource) || strings.HasSuffix(resource, "reviews") || name == shared {
		return
	}
	h.writes++
	o := r.ResponseObject
	switch {
	case o == nil:
		h.trespass = append(h.trespass, fmt.Sprintf("%s %s: the log does not say what was written", r.Verb, name))
	case o.Kind == "Status" && !h.ours[name]: // a deletion at once
		h.trespass = append(h.trespass, fmt.Sprintf("%s %s: never seen as Demarc's", r.Verb, name))
	case o.Kind == "Status":
	case o.Metadata.Labels[v1alpha1.LabelOwner] == "":
		h.trespass = append(h.trespass, fmt.Sprintf("%s %s: not Demarc's", r.Verb, name))
	case h.strangers[o.Metadata.UID] != "":
		h.trespass = append(h.trespass, fmt.Sprintf("%s %s: somebody else made it", r.Verb, name))
	default:
		h.ours[name] = true
	}
}
