// Package drift compares what is declared with what is live: which field of which object
// differs, both values, who changed it with what and when, and what happens to it next.
//
//	declared ── a claim, rendered ──────────┐
//	         ── what Argo CD applied last ──┼─▶ field by field, after the API server's defaults
//	         ── what was applied ───────────┘        │
//	live ─────────────────────────────────────────────┤
//	managed fields, events, audit log ──▶ who, with what, when
//	Application, autoscalers ──▶ what happens next
package drift

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// Question is what is asked, beside the objects.
type Question struct {
	// Namespaces that are looked at, and Team where it is that of one alone.
	Namespaces []string
	// Rendered is what the claims in the snapshot declare.
	Rendered []Rendered
	// Writes are what an audit log says, the oldest first.
	Writes []Write
	// Files says that the objects are of files: what is not there may have been left out.
	Files bool
}

// Rendered is an object that a claim declares.
type Rendered struct {
	// Claim that declares it.
	Claim  string
	Object snapshot.Object
}

// Difference is one finding, with what was compared.
type Difference struct {
	finding.Finding
	// Field that differs; empty where it is the object.
	Field string `json:"field,omitempty"`
	// Declared and Live are the values as JSON; empty where they are not known, not there, or
	// not to be shown, which Hidden says.
	Declared string `json:"declared,omitempty"`
	Live     string `json:"live,omitempty"`
	// Known says that the declared value is; where it is not, Git has it.
	Known  bool `json:"declaredKnown"`
	Hidden bool `json:"hidden,omitempty"`
	// By says who declares the object.
	By Source `json:"declaredBy"`
	// Change is who made the difference; nil where nothing tells.
	Change *Change `json:"change,omitempty"`
	// Then is what happens next.
	Then Then `json:"then"`
}

// Source is who declares an object.
type Source struct {
	Claim       string `json:"claim,omitempty"`
	Application string `json:"application,omitempty"`
	// Sync is what Argo CD says of this object.
	Sync string `json:"sync,omitempty"`
	// Manager that applied it, and nothing says from where.
	Manager string `json:"manager,omitempty"`
}

// String names it.
func (s Source) String() string {
	switch {
	case s.Claim != "":
		return "claim " + s.Claim
	case s.Application != "":
		return "Git (Application " + s.Application + ")"
	case s.Manager != "":
		return "what " + s.Manager + " applied"
	default:
		return "nobody"
	}
}

// Report is what was found.
type Report struct {
	Findings []Difference `json:"findings"`
	// Compared counts the objects that are declared and were looked at.
	Compared int `json:"compared"`
	// Apart counts fields that differ and are no drift, by why.
	Apart map[string]int `json:"toldApart,omitempty"`
	// Notes say what the answer lacks.
	Notes []string `json:"notes,omitempty"`
	// Unread could not be looked at; Unknown of that could have shown a difference.
	Unread  []snapshot.Unread `json:"unread,omitempty"`
	Unknown []snapshot.Unread `json:"unknown,omitempty"`
}

// Why a field that differs is no drift.
const (
	ApartAutoscaler = "kept by an autoscaler"
	ApartController = "written by a controller"
	ApartAdmission  = "changed on the way in, by a webhook or a policy"
	ApartChart      = "rendered otherwise by the platform's chart"
)

// Found says whether there is something to be done about.
func (r Report) Found() bool {
	return slices.ContainsFunc(r.Findings, func(d Difference) bool { return d.Counts() })
}

// Plain are the findings alone.
func (r Report) Plain() []finding.Finding {
	list := make([]finding.Finding, 0, len(r.Findings))
	for _, d := range r.Findings {
		d.Part = d.Field
		list = append(list, d.Finding)
	}
	return list
}

// Check compares.
func Check(set *snapshot.Set, q Question) Report {
	w := newWorld(set, q)
	for _, d := range w.declarations() {
		w.compare(d)
	}
	w.missing()
	w.undeclared()
	w.notes()
	worst := map[finding.Object]int{}
	for _, d := range w.report.Findings {
		if before, seen := worst[d.Object]; !seen || rank(d) < before {
			worst[d.Object] = rank(d)
		}
	}
	slices.SortStableFunc(w.report.Findings, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Object.Namespace, b.Object.Namespace), cmp.Compare(worst[a.Object], worst[b.Object]),
			cmp.Compare(a.Object.String(), b.Object.String()), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Field, b.Field))
	})
	w.report.Unread = set.Unread()
	w.report.Unknown = w.unknown()
	return w.report
}

// unknown is what was not read and could have shown a difference: what failed, and of what who
// asks may not look at the kinds of which something is declared. That a member of a team may not
// list what no claim of the team declares hides no difference.
func (w *world) unknown() (list []snapshot.Unread) {
	declared := map[schema.GroupKind]bool{claimKind: true}
	for _, claim := range Claims(w.set, w.q.Namespaces) {
		for _, i := range claim.Status.Inventory {
			declared[schema.GroupKind{Group: i.Group, Kind: i.Kind}] = true
		}
	}
	for _, u := range w.report.Unread {
		if u.Why != "" || declared[u.GroupKind()] {
			list = append(list, u)
		}
	}
	return list
}

// rank puts what somebody must see before what is only told.
func rank(d Difference) int {
	return slices.Index([]finding.Severity{finding.Error, finding.Warning, finding.Note}, d.Severity)
}
