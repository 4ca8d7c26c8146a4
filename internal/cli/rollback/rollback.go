// Package rollback is the verb rollback: a claim goes back to the image of a revision, on the
// way on which the claim is changed.
package rollback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/ask"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	historyverb "demarc.dev/demarc/internal/cli/history"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/history"
	"demarc.dev/demarc/internal/survey"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Name   string
	To     int64
	DryRun bool
	Yes    bool
}

// NewCmdRollback wires the verb; runF replaces what it does, in tests.
func NewCmdRollback(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "rollback CLAIM [--to REVISION]",
		Short: "Set a claim back to the image of an earlier revision",
		Long: `Set the image of a claim back to that of a revision: of the one that --to names, or of
the newest that has another image than the claim asks for. Nothing else of the claim is
changed, and nothing that is made from it: the service follows the claim as after any
change.

It is refused where the claim is changed in Git, by the contract or because Argo CD
delivers it, and says then what to change where. It needs the right to write the team's
claims: kubectl auth can-i deploy serviceclaims.demarc.dev -n team-TEAM.

Exit codes: 0 the claim is set back, 1 it was refused or not confirmed, or there is
nothing to go back to, 2 it could not be told.`,
		Example: fmt.Sprintf(`  %[1]s history web
  %[1]s rollback web
  %[1]s rollback web --to 6 --yes
  %[1]s rollback web --dry-run`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.Names(f, target.Claim),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := historyverb.Claim(args[0])
			if err != nil {
				return err
			}
			if o.Name = name; cmd.Flags().Changed("to") && o.To < 0 {
				return exit.Usage(cmd.CommandPath(), errors.New("--to names a revision: no number is below 0"))
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().Int64Var(&o.To, "to", history.Previous, "revision to go back to, as the verb history counts them; without it the newest with another image")
	cmd.Flags().Lookup("to").DefValue = "0" // not shown: it is said in words
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would change, and whether the cluster takes it")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "do not ask")
	return cmd
}

func run(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	d, err := o.Discovery()
	if err != nil {
		return err
	}
	set, err := survey.Cluster{Client: c, Discovery: d}.History(ctx, o.Name, o.Clock.Now())
	if err != nil {
		return exit.Unreadable(err, "read the claim's revisions")
	}
	if _, ok := history.Of(set, o.Name); !ok {
		return historyverb.Absent(set, o.Name, o.Program)
	}
	plan, refusal := history.Back(set, o.Name, o.To)
	if refusal != nil {
		return refused(refusal)
	}
	if err := patch(ctx, c, plan, client.DryRunAll); err != nil {
		return err
	}
	o.preview(plan)
	if o.DryRun {
		return nil
	}
	if err := ask.Confirm(ctx, o.IO, fmt.Sprintf("Set claim %s back to revision %d?", o.Name, plan.To.Number), o.Yes); err != nil {
		return err
	}
	if err := patch(ctx, c, plan); err != nil {
		return err
	}
	fmt.Fprintf(o.IO.Out, "claim %s asks for %s; %s status %s --watch follows it\n", o.Name, plain.Line(plan.To.Image), o.Program, o.Name)
	return nil
}

func refused(r *history.Refusal) error {
	if r.Unknown {
		return exit.Failed(plain.Line(r.What), plain.Line(r.Next))
	}
	return exit.Refused(plain.Line(r.What), plain.Line(r.Next))
}

// patch sets the image, and nothing else, of the claim as it was read: one that was changed
// or made anew since is left alone.
func patch(ctx context.Context, c client.Client, plan *history.Plan, options ...client.PatchOption) error {
	claim := &v1alpha1.ServiceClaim{}
	claim.Name = plan.Claim.Name
	body, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": plan.Claim.UID, "resourceVersion": plan.Claim.ResourceVersion},
		"spec":     map[string]any{"image": plan.To.Image},
	})
	if err != nil {
		return err
	}
	return exit.Unwritten(c.Patch(ctx, claim, client.RawPatch(types.MergePatchType, body), options...), "change claim "+claim.Name)
}

// preview says what changes and what stays.
func (o *Options) preview(plan *history.Plan) {
	say := func(format string, args ...any) { fmt.Fprintln(o.IO.Out, plain.Line(fmt.Sprintf(format, args...))) }
	r := plan.To
	say("Claim %s of team %s goes back to revision %d (%s)", o.Name, plan.Claim.Spec.Team, r.Number, r.Object)
	say("- image: %s, now %s", r.Image, plan.Was)
	if r.At != nil {
		by := ""
		if r.By != "" {
			by = ", by " + r.By
		}
		say("- it came %s%s", r.At.UTC().Format("2006-01-02 15:04:05 MST"), by)
	}
	if len(r.Differs) > 0 {
		say("- what was other then and stays as it is now: %s", strings.Join(r.Differs, ", "))
	}
	if plan.Says != "" {
		say("- %s", plan.Says)
	}
}
