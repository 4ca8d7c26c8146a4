// Package finding is the one type of result that the engines give out: what is wrong,
// with which object, what causes it, whose it is, and the smallest change that mends it.
package finding

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
)

// Severity of a finding.
type Severity string

// The severities. Notes are told and nothing is to be done.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Note}, s) }

// Object is what a finding is about.
type Object struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String names it the way kubectl does.
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + "/" + o.Name
	}
	return o.Kind + "/" + o.Name + " in " + o.Namespace
}

// Evidence is one fact that was read.
type Evidence struct {
	Object Object `json:"object"`
	Field  string `json:"field,omitempty"`
	Value  string `json:"value,omitempty"`
	// Time is when it came to be so, zero where that is not known.
	Time time.Time `json:"time,omitzero"`
}

// Cause is what of RBAC makes it so.
type Cause struct {
	Binding Object `json:"binding"`
	Subject string `json:"subject,omitempty"`
	// Role in which the rule is written, and the rule.
	Role Object `json:"role"`
	Rule string `json:"rule,omitempty"`
}

// String names what there is of it.
func (c Cause) String() string {
	s := c.Binding.String()
	if c.Subject != "" {
		s += " binds " + c.Subject
	}
	if c.Role != c.Binding {
		s += " to " + c.Role.String()
	}
	if c.Rule != "" {
		s += ": " + c.Rule
	}
	return s
}

// Mend is the smallest change.
type Mend struct {
	// Command for a shell, whole.
	Command string `json:"command,omitempty"`
	// Says what it does, or what is to be done where no command can.
	Says string `json:"says"`
}

// Step is what one party does next.
type Step struct {
	Party v1alpha1.Party `json:"party"`
	Says  string         `json:"says"`
	// Command for a shell, whole; empty where no command does or shows it.
	Command string `json:"command,omitempty"`
}

// Place is where in a file a finding stands.
type Place struct {
	File string `json:"file"`
	// Line from 1; 0 where it is not known.
	Line int `json:"line,omitempty"`
	// Field of the object, and what is there.
	Field string `json:"field,omitempty"`
	Value string `json:"value,omitempty"`
}

// String is file and line, as editors take them.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Finding is one result.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Domain of the contract, and the party that mends it.
	Domain string         `json:"domain,omitempty"`
	Owner  v1alpha1.Party `json:"owner,omitempty"`
	// Because says why it is that party's, where that was judged.
	Because string `json:"because,omitempty"`
	// Team it is about, and Paged who of the owner is on call and where; empty where not known.
	Team  string `json:"team,omitempty"`
	Paged string `json:"paged,omitempty"`

	Object Object `json:"object"`
	// Part of the object, where several may have the same, such as a container's name or a field.
	Part string `json:"part,omitempty"`
	// Affects are workloads that it keeps from running, where it is about something else.
	Affects []Object `json:"affects,omitempty"`
	Message string   `json:"message"`
	// Places in files, where it was read of some.
	Places   []Place    `json:"places,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
	Cause    *Cause     `json:"cause,omitempty"`
	Mend     Mend       `json:"mend"`
	// Next is the step of each party that must act, where there is more to say than Mend.
	Next []Step `json:"next,omitempty"`
	// Folded are findings that follow from this one and go when it goes.
	Folded []Finding `json:"folded,omitempty"`
	// Docs is the page, and the place in it, that tells more.
	Docs string `json:"docs"`
}

// Counts says whether something is to be done about it.
func (f Finding) Counts() bool { return f.Severity != Note }

// Sort puts findings in order: the gravest first, then by id and object.
func Sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Object.String(), b.Object.String()), cmp.Compare(a.Message, b.Message))
	})
}

// Count counts by severity.
func Count(list []Finding) map[Severity]int {
	count := map[Severity]int{}
	for _, f := range list {
		count[f.Severity]++
	}
	return count
}
