package delete

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/survey"
)

// preview says what goes, what that waits for and what is left behind, before anything
// is asked or done. It is the report of explain delete, in fewer words.
func preview(ctx context.Context, o *Options, c client.Client, object client.Object) error {
	d, err := o.Discovery()
	if err != nil {
		return err
	}
	of := deletion.Object{Group: o.Kind.GVK().Group, Kind: o.Kind.GVK().Kind, Name: o.Name}
	set, question, err := survey.Cluster{Client: c, Discovery: d}.Deletion(ctx, of, o.Clock.Now())
	if err != nil {
		return exit.Unreadable(err, "see what goes with "+o.Kind.Word+" "+o.Name)
	}
	if o.Force {
		question.Force = o.Reason
	}
	if at := object.GetDeletionTimestamp(); at != nil {
		say(o, "%s %s is being deleted already, since %s", o.Kind.Word, o.Name, at.UTC().Format("15:04:05 MST on 2006-01-02"))
	}
	show(o, deletion.Explain(set, question))
	return nil
}

// show writes a report for somebody who is about to say yes.
func show(o *Options, r deletion.Report) {
	goes := parts(r.Goes)
	if o.Force {
		list(o, fmt.Sprintf("By force %s %s goes, and with it:", o.Kind.Word, o.Name), goes)
		var nobodys []string
		for _, l := range r.Leaves {
			nobodys = append(nobodys, l.Object.String())
		}
		list(o, "It leaves behind:", orNone(nobodys, "nothing that is known of"))
	} else {
		list(o, fmt.Sprintf("With %s %s go:", o.Kind.Word, o.Name), orNone(goes, "nothing that is known of"))
		list(o, "It waits for, or will:", waits(slices.Concat(r.Blockers, r.Ahead)))
		list(o, "It leaves behind:", left(r.Leaves))
	}
	list(o, "Not read, so not told:", deletion.Missing(slices.Concat(r.Unread, r.Beyond)))
}

func parts(goes []deletion.Part) (lines []string) {
	for _, p := range goes {
		line := p.Object.String()
		if p.With != "" {
			line += " with " + p.With
		}
		lines = append(lines, line)
	}
	return lines
}

// waits names what holds the deletion, and the next step for it.
func waits(blockers []deletion.Blocker) (lines []string) {
	for _, b := range blockers {
		line := b.Object.String() + " (" + b.Reason + "): " + b.Next
		if b.Command != "" {
			line += ": " + b.Command
		}
		lines = append(lines, line)
	}
	return lines
}

func left(leaves []deletion.Left) (lines []string) {
	for _, l := range leaves {
		lines = append(lines, l.Object.String()+": "+l.Why)
	}
	return lines
}

func orNone(lines []string, none string) []string {
	if len(lines) == 0 {
		return []string{none}
	}
	return lines
}

// list writes a title and its lines, or nothing where there are none.
func list(o *Options, title string, lines []string) {
	if len(lines) > 0 {
		say(o, "%s", title)
	}
	for _, line := range lines {
		say(o, "- %s", line)
	}
}

func say(o *Options, format string, args ...any) {
	fmt.Fprintln(o.IO.Out, plain.Line(fmt.Sprintf(format, args...)))
}
