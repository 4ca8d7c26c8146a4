package triage

import (
	"slices"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/scope"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// answer is what programs get.
type answer struct {
	Findings []found `json:"findings"`
	// At is when the cluster was as it is told here, Namespaces what was asked about; none are all.
	At         time.Time `json:"at,omitzero"`
	Namespaces []string  `json:"namespaces,omitempty"`
	// Contract that says who acts: the cluster's, or the one that is shipped.
	Contract string `json:"contract"`
	// Looked counts the objects that were judged; Waiting of them are pods in these namespaces
	// that are not ready.
	Looked  int `json:"looked"`
	Waiting int `json:"waiting,omitempty"`
	// Others is how many findings are about nothing in these namespaces.
	Others int `json:"others,omitempty"`
	// Unread could not be read of the cluster, Faults not of the dump.
	Unread []snapshot.Unread `json:"unread,omitempty"`
	Faults []string          `json:"faults,omitempty"`

	// unknown of the unread could have shown more of what was asked about; of the others
	// elsewhere are what lives in other namespaces.
	unknown, elsewhere []snapshot.Unread
}

// found is one finding; what it is about is its subject.
type found struct {
	ID       string             `json:"id"`
	Severity finding.Severity   `json:"severity"`
	Owner    v1alpha1.Party     `json:"owner"`
	Domain   string             `json:"domain"`
	Team     string             `json:"team,omitempty"`
	Paged    string             `json:"paged,omitempty"`
	Subject  finding.Object     `json:"subject"`
	Part     string             `json:"part,omitempty"`
	Affects  []finding.Object   `json:"affects,omitempty"`
	Message  string             `json:"message"`
	Because  string             `json:"because,omitempty"`
	Evidence []finding.Evidence `json:"evidence"`
	Next     []finding.Step     `json:"next"`
	Folded   []found            `json:"folded"`
	Docs     string             `json:"docs"`
}

func answerOf(r triage.Report, g gathered, others int) answer {
	a := answer{Findings: foundOf(r.Findings), At: g.set.At.UTC(), Namespaces: g.namespaces, Contract: r.Contract, Others: others, Unread: r.Unread, Faults: g.faults,
		unknown: r.Unknown(g.namespaces), Waiting: triage.Waiting(g.set, g.namespaces)}
	for _, kind := range triage.Kinds {
		a.Looked += len(g.set.Of(kind))
	}
	for _, l := range g.set.Listed() {
		for _, u := range r.Unread {
			if u.GroupKind() == l.GroupKind && u.Namespace == "" && !slices.Contains(a.unknown, u) && !slices.Contains(a.elsewhere, u) {
				a.elsewhere = append(a.elsewhere, u)
			}
		}
	}
	return a
}

// notRead says what could not be read, in lines; what lives in other namespaces at once.
func (a answer) notRead() []string {
	lines := scope.NotRead(a.unknown)
	var rest []snapshot.Unread
	for _, u := range a.Unread {
		if !slices.Contains(a.unknown, u) && !slices.Contains(a.elsewhere, u) && !u.NotAsked() {
			rest = append(rest, u)
		}
	}
	lines = append(lines, scope.NotRead(rest)...)
	if len(a.elsewhere) > 0 {
		lines = append(lines, "what lives in other namespaces")
	}
	return lines
}

// foundOf are the findings as programs get them; triage has left out of them what looks like a
// secret.
func foundOf(list []finding.Finding) []found {
	out := make([]found, 0, len(list))
	for _, f := range list {
		out = append(out, found{f.ID, f.Severity, f.Owner, f.Domain, f.Team, f.Paged, f.Object, f.Part, f.Affects, f.Message, f.Because, slices.Clone(f.Evidence), f.Next, foundOf(f.Folded), f.Docs})
	}
	return out
}
