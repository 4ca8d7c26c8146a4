package matrix

import (
	"strings"

	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/contract"
)

// Markdown is the matrix, how decisions are made and how the parties are reached.
func Markdown(c *contract.Contract, parties contract.Parties) string {
	var b strings.Builder
	b.WriteString("# Who owns what\n\nFor each domain: who creates it, changes it, approves changes, watches it, is paged when it fails, and deletes it;\n" +
		"on which way it is changed; and what each side does where the two meet.\n\n")
	line(&b, append(append([]string{"domain"}, head...), "changed in", "boundary"))
	b.WriteString(strings.Repeat("|---", len(head)+3) + "|\n")
	all := rows(c)
	for _, r := range all {
		cells := []string{"**" + escape(r.Title) + "**"}
		for _, a := range r.Answers {
			cells = append(cells, escape(a))
		}
		line(&b, append(cells, escape(r.Path), escape(r.Boundary)))
	}
	b.WriteString("\n## Kinds\n\n")
	line(&b, []string{"domain", "kinds"})
	b.WriteString("|---|---|\n")
	for _, r := range all {
		if len(r.Kinds) > 0 {
			line(&b, []string{escape(r.Title), escape(strings.Join(r.Kinds, ", "))})
		}
	}
	if len(c.Spec.Decisions) > 0 {
		b.WriteString("\n## Decisions\n\n")
		line(&b, []string{"decision", "how"})
		b.WriteString("|---|---|\n")
		for _, d := range c.Spec.Decisions {
			line(&b, []string{escape(d.Name), escape(d.How)})
		}
	}
	if people := contacts(parties); len(people) > 0 {
		b.WriteString("\n## Parties\n\n")
		line(&b, []string{"party", "channel", "on call", "then"})
		b.WriteString("|---|---|---|---|\n")
		for _, p := range people {
			line(&b, []string{escape(p.Party), escape(p.Channel), escape(p.OnCall), escape(p.Escalation)})
		}
	}
	return b.String()
}

func line(b *strings.Builder, cells []string) {
	b.WriteString("|")
	for _, c := range cells {
		if c == "" {
			b.WriteString(" |")
			continue
		}
		b.WriteString(" " + c + " |")
	}
	b.WriteString("\n")
}

var special = func() *strings.Replacer {
	pairs := []string{"<", "&lt;", ">", "&gt;", "&", "&amp;"}
	for _, r := range "\\`*_[]|~!$" {
		pairs = append(pairs, string(r), `\`+string(r))
	}
	return strings.NewReplacer(pairs...)
}()

// escape makes a text one cell in which nothing is markup.
func escape(text string) string { return special.Replace(plain.Line(text)) }
