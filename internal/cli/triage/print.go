package triage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/version"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/report"
	"demarc.dev/demarc/internal/triage"
)

func (o *Options) print(d answer) error {
	switch o.Output {
	case "table":
		if err := (&table{IO: o.IO}).write(d); err != nil {
			return exit.Failed("cannot write the answer: "+err.Error(), "")
		}
		return nil
	case "sarif":
		return document.Write(o.IO.Out, "json", report.SARIF(runOf(d)))
	default:
		return document.Write(o.IO.Out, o.Output, d)
	}
}

// runOf is the answer as SARIF takes it.
func runOf(d answer) report.Run {
	run := report.Run{Tool: "demarc", Version: version.Number}
	for _, s := range triage.Catalogue {
		run.Rules = append(run.Rules, report.Rule{ID: s.ID, Title: s.Title, Means: s.Means, Docs: triage.Docs(s.ID)})
	}
	for _, f := range d.Findings {
		run.Findings = append(run.Findings, f.finding())
	}
	for _, u := range d.unknown {
		run.Unread = append(run.Unread, u.String())
	}
	run.Unread = append(run.Unread, d.Faults...)
	return run
}

// finding is the same as the engines have it.
func (f found) finding() finding.Finding {
	out := finding.Finding{ID: f.ID, Severity: f.Severity, Domain: f.Domain, Owner: f.Owner, Because: f.Because, Team: f.Team, Paged: f.Paged,
		Object: f.Subject, Part: f.Part, Affects: f.Affects, Message: f.Message, Evidence: f.Evidence, Next: f.Next, Docs: f.Docs}
	var says []string
	for _, s := range f.Next {
		says = append(says, string(s.Party)+": "+s.Says)
		out.Mend.Command = cmp.Or(out.Mend.Command, s.Command)
	}
	out.Mend.Says = strings.Join(says, "; ")
	for _, g := range f.Folded {
		out.Folded = append(out.Folded, g.finding())
	}
	return out
}

// group is what one side must act on.
type group struct {
	owner v1alpha1.Party
	team  string
	list  []found
}

// groups are the findings by who must act: the platform, the teams by name, what takes both.
func groups(list []found) (out []group) {
	for _, f := range list {
		team := f.Team
		if f.Owner == v1alpha1.PartyPlatform {
			team = ""
		}
		i := slices.IndexFunc(out, func(g group) bool { return g.owner == f.Owner && g.team == team })
		if i < 0 {
			i, out = len(out), append(out, group{owner: f.Owner, team: team})
		}
		out[i].list = append(out[i].list, f)
	}
	order := []v1alpha1.Party{v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyShared}
	slices.SortStableFunc(out, func(a, b group) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.owner), slices.Index(order, b.owner)), cmp.Compare(a.team, b.team))
	})
	return out
}

// String names who must act.
func (g group) String() string {
	switch {
	case g.owner == v1alpha1.PartyShared && g.team != "":
		return "The platform and team " + g.team
	case g.owner == v1alpha1.PartyShared:
		return "The platform and the teams"
	case g.owner == v1alpha1.PartyTeam && g.team != "":
		return "Team " + g.team
	case g.owner == v1alpha1.PartyTeam:
		return "Whoever has the namespace"
	}
	return fmt.Sprintf("The %s", g.owner)
}
