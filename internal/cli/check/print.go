package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/version"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/report"
)

func (o *Options) print(a check.Answer) error {
	switch o.Output {
	case "text":
		return o.text(a)
	case "github":
		return o.github(a.Findings)
	case "sarif":
		return document.Write(o.IO.Out, "json", report.SARIF(sarifRun(a.Findings)))
	default:
		return document.Write(o.IO.Out, o.Output, a)
	}
}

// words are what becomes of an object.
var words = map[finding.Severity]string{finding.Error: "refused", finding.Warning: "warned", finding.Note: "noted"}

var colours = map[finding.Severity]string{finding.Error: factory.Bad, finding.Warning: factory.Wait, finding.Note: factory.Good}

// text prints a line for each place of each finding, the place before it as editors take it.
func (o *Options) text(a check.Answer) error {
	var b strings.Builder
	hidden, ask := 0, ""
	for _, f := range a.Findings {
		if f.Severity == finding.Note && !o.Notes {
			hidden++
			continue
		}
		for i, p := range f.Places {
			fmt.Fprintf(&b, "%s: %s %s: %s: %s\n", plain.Line(p.String()), o.IO.Paint(colours[f.Severity], words[f.Severity]), f.ID,
				plain.Line(f.Object.String()), plain.Line(check.Said(f, i)))
		}
		if ask == "" && f.Severity != finding.Note {
			ask = strings.Replace(check.Exception(f), " --rule "+f.ID, " --rule RULE", 1)
		}
	}
	for _, u := range a.Unjudged {
		fmt.Fprintf(&b, "%s: not judged: %s: %s\n", plain.Line(u.Place.String()), plain.Line(u.Object.String()), plain.Line(u.Why))
	}
	b.WriteString(summary(a) + "\n")
	if ask != "" {
		fmt.Fprintf(&b, "To ask for an exception: %s\n", plain.Line(ask))
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "%s noted only: --notes prints them.\n", many(hidden, "finding is", "findings are"))
	}
	_, err := fmt.Fprint(o.IO.Out, b.String())
	return written(err)
}

func summary(a check.Answer) string {
	count := finding.Count(a.Findings)
	whose := "of no team"
	switch {
	case a.Anybody && len(a.Teams) > 0:
		whose = "of team " + strings.Join(a.Teams, ", ") + " and of one that is not named (--team)"
	case a.Anybody:
		whose = "of a team that is not named (--team)"
	case len(a.Teams) > 0:
		whose = "of team " + strings.Join(a.Teams, ", ")
	}
	text := fmt.Sprintf("%d refused, %d warned of: %s %s, by %s.", count[finding.Error], count[finding.Warning],
		many(a.Judged, "object", "objects"), whose, many(a.Rules, "rule", "rules"))
	if a.Elsewhere > 0 {
		text += fmt.Sprintf(" %s in the namespace of no team, where none holds.", many(a.Elsewhere, "object is", "objects are"))
	}
	return text
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

func warns(a check.Answer) bool {
	return slices.ContainsFunc(a.Findings, func(f finding.Finding) bool { return f.Severity == finding.Warning })
}

// github prints annotations, as workflows of GitHub Actions take them.
func (o *Options) github(list []finding.Finding) error {
	kinds := map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning", finding.Note: "notice"}
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var errs []error
	for _, f := range list {
		if f.Severity == finding.Note && !o.Notes {
			continue
		}
		for i, p := range f.Places {
			_, err := fmt.Fprintf(o.IO.Out, "::%s file=%s,line=%d,title=%s::%s\n", kinds[f.Severity], property.Replace(p.File), max(p.Line, 1),
				property.Replace(f.ID), value.Replace(plain.Line(f.Object.String()+": "+check.Said(f, i))))
			errs = append(errs, err)
		}
	}
	return written(errors.Join(errs...))
}

// sarifRun is what SARIF is made of: the rules that come with Demarc, and those of users'
// own that found something.
func sarifRun(list []finding.Finding) report.Run {
	run := report.Run{Tool: "demarc", Version: version.Number, Findings: list}
	for _, r := range guardrail.Catalogue() {
		run.Rules = append(run.Rules, report.Rule{ID: r.ID, Title: r.Title, Means: strings.TrimSpace(r.Why), Docs: check.Docs(r.ID)})
	}
	for _, f := range list {
		if !slices.ContainsFunc(run.Rules, func(r report.Rule) bool { return r.ID == f.ID }) {
			run.Rules = append(run.Rules, report.Rule{ID: f.ID, Title: f.ID, Means: "a policy of your own", Docs: f.ID})
		}
	}
	return run
}

func written(err error) error {
	if err == nil {
		return nil
	}
	return exit.Failed("cannot write the output: "+err.Error(), "")
}
