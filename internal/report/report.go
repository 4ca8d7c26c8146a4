// Package report writes findings: as text for people, as a document, and as SARIF for
// what gathers the findings of many tools. Text from a cluster is made safe to show.
package report

import (
	"fmt"
	"io"
	"strings"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/finding"
)

var colours = map[finding.Severity]string{finding.Error: factory.Bad, finding.Warning: factory.Wait, finding.Note: factory.Good}

// Text writes findings one after another, the gravest first. Commands stand at the
// beginning of their lines, so that they can be copied whole.
func Text(out io.Writer, list []finding.Finding, paint func(colour, text string) string) error {
	var b strings.Builder
	shownFor := map[string]string{} // a command that mends several is shown once
	for _, f := range list {
		fmt.Fprintf(&b, "%s %s  %s\n", paint(colours[f.Severity], string(f.Severity)), f.ID, paint(factory.Bold, plain.Line(f.Object.String())))
		line(&b, "", f.Message)
		if f.Cause != nil {
			line(&b, "cause", f.Cause.String())
		}
		for _, e := range f.Evidence[:min(len(f.Evidence), shown)] {
			line(&b, "seen", strings.TrimSpace(e.Object.String()+" "+e.Field+" "+e.Value))
		}
		if more := len(f.Evidence) - shown; more > 0 {
			line(&b, "", fmt.Sprintf("and %d more: -o json has all", more))
		}
		if f.Counts() {
			line(&b, "whose", whose(f))
			switch before := shownFor[f.Mend.Command]; {
			case f.Mend.Command == "":
				line(&b, "mend", f.Mend.Says)
			case before != "":
				line(&b, "mend", "by the same command as "+before)
			default:
				line(&b, "mend", f.Mend.Says)
				fmt.Fprintln(&b, plain.Text(f.Mend.Command))
				shownFor[f.Mend.Command] = f.ID + " " + plain.Line(f.Object.String())
			}
			line(&b, "more", f.Docs)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// shown is how much of the evidence people are shown.
const shown = 4

func line(b *strings.Builder, head, text string) {
	fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("  %-6s %s", head, plain.Line(text)), " "))
}

func whose(f finding.Finding) string {
	s := "the " + string(f.Owner)
	if f.Owner == "nobody" || f.Owner == "shared" {
		s = string(f.Owner)
	}
	if f.Domain != "" {
		s += ", domain " + f.Domain
	}
	return s
}

// Summary counts by severity, in words.
func Summary(list []finding.Finding) string {
	count := finding.Count(list)
	return fmt.Sprintf("%s, %s, %s", many(count[finding.Error], "error"), many(count[finding.Warning], "warning"), many(count[finding.Note], "note"))
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
