package drift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/scope"
	"demarc.dev/demarc/internal/cli/version"
	"demarc.dev/demarc/internal/drift"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/report"
)

func (o *Options) print(found drift.Report, namespaces []string) error {
	for _, f := range o.faults {
		fmt.Fprintln(o.IO.ErrOut, "note: not read: "+plain.Line(f))
	}
	switch o.Output {
	case "table":
		_, err := fmt.Fprint(o.IO.Out, o.table(found, namespaces))
		if err != nil {
			return exit.Failed("cannot write the output: "+err.Error(), "")
		}
		return nil
	case "sarif":
		run := report.Run{Tool: "demarc", Version: version.Number, Findings: found.Plain()}
		for _, c := range drift.Checks {
			run.Rules = append(run.Rules, report.Rule{ID: c.ID, Title: c.Title, Means: c.Means, Docs: drift.Docs(c.ID)})
		}
		for _, u := range found.Unread {
			run.Unread = append(run.Unread, u.String())
		}
		return document.Write(o.IO.Out, "json", report.SARIF(run))
	default:
		return document.Write(o.IO.Out, o.Output, found)
	}
}

var colours = map[finding.Severity]string{finding.Error: factory.Bad, finding.Warning: factory.Wait, finding.Note: factory.Good}

// table prints the differences of each object below its name, and what nobody declares in a
// line each.
func (o *Options) table(found drift.Report, namespaces []string) string {
	var b strings.Builder
	last, loose := "", []drift.Difference{}
	for _, d := range found.Findings {
		if d.ID == drift.Undeclared {
			loose = append(loose, d)
			continue
		}
		if head := o.head(d); head != last {
			if last != "" {
				b.WriteString("\n")
			}
			fmt.Fprintln(&b, o.IO.Paint(factory.Bold, head))
			last = head
		}
		o.difference(&b, d)
	}
	if len(loose) > 0 {
		if last != "" {
			b.WriteString("\n")
		}
		b.WriteString(o.IO.Paint(factory.Bold, "Declared by nobody") + "\n")
	}
	for _, d := range loose {
		fmt.Fprintln(&b, "  "+plain.Line(d.Object.String()+made(d)))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	for _, n := range found.Notes {
		fmt.Fprintln(&b, "note: "+plain.Line(n))
	}
	for _, line := range scope.NotRead(found.Unread) {
		fmt.Fprintln(&b, "not read: "+o.wrap(line, len("not read: "), 2))
	}
	fmt.Fprintln(&b, summary(found, namespaces))
	return b.String()
}

func (o *Options) head(d drift.Difference) string {
	head := d.Object.String() + ": declared by " + d.By.String()
	if d.By.Claim != "" && d.By.Application != "" {
		head += ", by Application " + d.By.Application
	}
	if d.By.Sync != "" {
		head += " (" + d.By.Sync + ")"
	}
	return plain.Line(head)
}

func (o *Options) difference(b *strings.Builder, d drift.Difference) {
	fmt.Fprintf(b, "  %s %s\n", o.IO.Paint(colours[d.Severity], d.ID), o.wrap(d.Message, len(d.ID)+3, 4))
	line := func(head, text string) {
		if text != "" {
			fmt.Fprintln(b, fmt.Sprintf("    %-5s ", head)+o.wrap(text, 10, 10))
		}
	}
	if d.ID != drift.Missing || d.Change != nil {
		line("who", cmp.Or(d.Change.By(), nobody(d)))
	}
	if d.Change != nil {
		line("when", d.Change.When())
	}
	line("then", d.Then.Says)
	if d.Counts() {
		line("mend", d.Mend.Says)
	}
}

// nobody says why it is not known who it was.
func nobody(d drift.Difference) string {
	switch d.ID {
	case drift.Removed:
		return "not known: managed fields keep no trace of what was taken away; an audit log has it (--audit-log)"
	case drift.Pending, drift.Unfound:
		return ""
	default:
		return "not known: no manager holds the field"
	}
}

func made(d drift.Difference) string {
	text := ""
	if by := d.Change.By(); by != "" {
		text = ": " + by + ", " + d.Change.When()
	}
	if d.Message != "no Git and no claim declares it" {
		text += "; " + d.Message
	}
	return text
}

func (o *Options) wrap(text string, at, hang int) string {
	return plain.Wrap(plain.Line(text), o.IO.Width, at, hang)
}

func summary(r drift.Report, namespaces []string) string {
	differ := 0
	for _, d := range r.Findings {
		if d.Counts() {
			differ++
		}
	}
	text := fmt.Sprintf("%s to be seen to, %s. %s compared in %s.", many(differ, "difference"), many(len(r.Findings)-differ, "note"),
		many(r.Compared, "declared object"), plain.Line(scope.Words(namespaces)))
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(r.Apart)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.Apart[why], why))
	}
	if len(parts) > 0 {
		text += " No drift: " + strings.Join(parts, ", ") + "."
	}
	if len(r.Unread) > 0 {
		text += " As far as could be read."
	}
	return text
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
