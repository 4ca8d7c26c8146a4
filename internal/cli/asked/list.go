package asked

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/table"
	"demarc.dev/demarc/internal/cli/target"
)

func newCmdList(f *factory.Factory, k Kind) *cobra.Command {
	o := NewOptions(f, k)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what was asked for, and how it stands",
		Long: `List what waits for an approval, what is in force, and what was refused within the
last day, of all teams that can be read, and exceptions that ended and on which
something still runs; with --all also what has ended otherwise. STATE is the reason
that its conditions give: docs/reasons.md says what each means.`,
		Example: fmt.Sprintf(`  %[1]s %[2]s list
  %[1]s %[2]s list --team payments --all -o json`, f.Program, k.verb),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.output(document.Outputs); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			if cmd.Flags().Changed("team") {
				if err := target.Named(o.Team); err != nil {
					return err
				}
			}
			return list(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Team, "team", "", "only what was asked for this team")
	cmd.Flags().BoolVarP(&o.All, "all", "A", false, "what has ended too")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "text", strings.Join(document.Outputs, ", "))
	for flag, fn := range map[string]complete.Func{"team": complete.Names(f, target.Tenant), "output": complete.Words(document.Outputs...)} {
		if err := cmd.RegisterFlagCompletionFunc(flag, fn); err != nil {
			panic(err) // only a flag that is not there gets here
		}
	}
	return cmd
}

func list(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	found := o.Kind.list()
	var which []client.ListOption
	if o.Team != "" {
		which = append(which, client.MatchingFields{"spec.team": o.Team})
	}
	if err := c.List(ctx, found, which...); err != nil {
		return exit.Unreadable(err, "list the "+o.Kind.word+"s")
	}
	items, err := meta.ExtractList(found)
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	entries := []entry{}
	for _, item := range items {
		if e := read(item.(client.Object)); o.All || e.EndedAt == nil || len(e.Living) > 0 || e.refused() && o.Clock.Since(e.EndedAt.Time) < refusedLately {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Name, b.Name)) })
	if o.Output != "text" {
		return document.Write(o.IO.Out, o.Output, entries)
	}
	if len(entries) == 0 {
		fmt.Fprintln(o.IO.ErrOut, plain.Text(o.none(len(items))))
		return nil
	}
	if err := o.show(entries); err != nil {
		return err
	}
	if more := len(items) - len(entries); more > 0 {
		o.next("%s %s list --all shows %d more that ended, and why", o.Program, o.Kind.verb, more)
	}
	return nil
}

// refusedLately is for how long what was refused is listed beside what waits: who asked for
// it may look for it.
const refusedLately = 24 * time.Hour

func (o *Options) none(all int) string {
	what, next := "Nothing was asked for", fmt.Sprintf("%s %s request --help", o.Program, o.Kind.verb)
	if all > 0 {
		what, next = fmt.Sprintf("Nothing waits and nothing is in force; %d ended", all), fmt.Sprintf("%s %s list --all shows them", o.Program, o.Kind.verb)
	}
	return what + ".\nNext: " + next
}

func (o *Options) show(entries []entry) error {
	t := table.Table{Head: []string{"NAME", "TEAM", "WHAT", "BY", "APPROVED", "STATE", "ENDS", "WHY"}}
	for _, e := range entries {
		t.Rows = append(t.Rows, []string{e.Name, e.Team, e.What, e.RequestedBy, e.ApprovedBy, e.stands(), e.ends(), short(e.Reason)})
	}
	t.Paint = func(row, column int, cell string) string {
		if column != 5 {
			return cell
		}
		return o.IO.Paint(colour(entries[row]), cell)
	}
	if err := t.Write(o.IO.Out); err != nil {
		return exit.Failed("cannot write the output: "+err.Error(), "")
	}
	return nil
}

func colour(e entry) string {
	switch {
	case e.ready == metav1.ConditionTrue:
		return factory.Good
	case e.EndedAt != nil:
		return factory.Bad
	default:
		return factory.Wait
	}
}

// stands is its state, and how much runs on it although it ended.
func (e entry) stands() string {
	if n := len(e.Living); n > 0 {
		return fmt.Sprintf("%s, in use by %d", e.State, n)
	}
	return e.State
}

// ends says when it ends or ended, or for how long it is asked for.
func (e entry) ends() string {
	switch {
	case e.EndedAt != nil:
		return moment(e.EndedAt)
	case e.Expires != nil:
		return moment(e.Expires)
	case e.ApprovedAt != nil:
		return "never"
	default:
		return e.during()
	}
}

// short keeps a row on a screen.
func short(text string) string {
	const most = 40
	runes := []rune(plain.Line(text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}
