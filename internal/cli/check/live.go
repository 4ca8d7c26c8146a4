package check

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/table"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/report"
	"demarc.dev/demarc/internal/survey"
)

// live says what of a cluster would be refused if it were made today.
func (o *Options) live(ctx context.Context) error {
	rules, err := o.compile()
	if err != nil {
		return err
	}
	for _, id := range o.Rule {
		if !guardrail.Known(id) && len(o.Rules) == 0 {
			return exit.Failed(fmt.Sprintf("there is no rule %q", id), "docs/guardrails lists them; one of your own is given with --rules")
		}
	}
	at, err := o.at()
	if err != nil {
		return err
	}
	c, err := o.Client()
	if err != nil {
		return err
	}
	d, err := o.Discovery()
	if err != nil {
		return err
	}
	if o.Team != "" {
		ns := v1alpha1.NamespaceOf(o.Team)
		if err := c.Get(ctx, client.ObjectKey{Name: ns}, &corev1.Namespace{}); apierrors.IsNotFound(err) {
			return exit.Failed(fmt.Sprintf("there is no namespace %s, and so no team %s", ns, o.Team), "kubectl get tenants lists the teams")
		}
	}
	set, err := survey.Cluster{Client: c, Discovery: d}.Guardrails(ctx, rules.Kinds(), o.Team, at)
	if err != nil {
		return exit.Unreadable(err, "read what the guardrails judge")
	}
	answer, err := check.Live(check.LiveQuestion{Set: set, Rules: rules, Team: o.Team, Only: o.Rule})
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	if err := o.printLive(answer); err != nil {
		return err
	}
	switch {
	case answer.Found():
		return exit.ErrFound
	case len(answer.Unread) > 0:
		return exit.Failed("it could not be told: "+plain.Line(answer.Unread[0].String()), "ask for these rights, or have somebody run this who holds them")
	}
	return nil
}

func (o *Options) printLive(a check.LiveAnswer) error {
	switch o.Output {
	case "text":
		return o.liveText(a)
	case "sarif":
		run := sarifRun(a.Findings)
		for _, u := range a.Unread {
			run.Unread = append(run.Unread, u.String())
		}
		return document.Write(o.IO.Out, "json", report.SARIF(run))
	default:
		return document.Write(o.IO.Out, o.Output, a)
	}
}

// liveText prints the table, the objects and the controllers.
func (o *Options) liveText(a check.LiveAnswer) error {
	var b strings.Builder
	for _, f := range a.Findings {
		fmt.Fprintf(&b, "%s: %s: %s\n", o.IO.Paint(colours[f.Severity], f.ID), plain.Line(f.Object.String()), plain.Line(without(f)))
	}
	if len(a.Rows) > 0 {
		rows := table.Table{Head: []string{"TEAM", "RULE", "NOW", "OBJECTS"}}
		for _, r := range a.Rows {
			rows.Rows = append(rows.Rows, []string{r.Team, r.Rule, string(r.Mode), strconv.Itoa(r.Objects)})
		}
		b.WriteString("\n")
		if err := rows.Write(&b); err != nil {
			return written(err)
		}
		b.WriteString("\n")
	}
	for _, f := range a.Frozen {
		fmt.Fprintf(&b, "%s %s: the controller of %s could not %s: %s\n", o.IO.Paint(colours[finding.Error], "frozen"), f.Rule,
			plain.Line(f.Object.String()), plain.Line(f.Cannot), plain.Line(f.Message))
	}
	for _, u := range a.Unread {
		fmt.Fprintln(&b, "not read: "+plain.Line(u.String()))
	}
	fmt.Fprintf(&b, "%s of %s would be refused if made today, were the rules deny; %s be kept from its work.\n",
		many(broken(a.Findings), "object", "objects"), many(a.Judged, "object", "objects"), many(frozen(a), "controller would", "controllers would"))
	_, err := fmt.Fprint(o.IO.Out, b.String())
	return written(err)
}

// without is a message without the rule's id before it and the exception after it.
func without(f finding.Finding) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(f.Message, f.ID+": "), " To ask for an exception: ")
	return strings.TrimSuffix(text, ".")
}

// broken is how many objects break a rule.
func broken(list []finding.Finding) int {
	seen := map[finding.Object]bool{}
	for _, f := range list {
		seen[f.Object] = true
	}
	return len(seen)
}

func frozen(a check.LiveAnswer) int {
	seen := map[finding.Object]bool{}
	for _, f := range a.Frozen {
		seen[f.Object] = true
	}
	return len(seen)
}
