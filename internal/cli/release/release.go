// Package release is the verb release: a claim goes and its service stays.
package release

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/ask"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/render"
)

// Options of the verb.
type Options struct {
	IO      factory.IO
	Program string
	Clock   clock.PassiveClock
	Client  func() (client.WithWatch, error)

	Name    string
	Reason  string
	Yes     bool
	Wait    bool
	Timeout time.Duration
}

// NewCmdRelease wires the verb; runF replaces what it does, in tests.
func NewCmdRelease(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client}
	cmd := &cobra.Command{
		Use:   "release CLAIM --reason TEXT",
		Short: "Delete a claim and keep its service running",
		Long: `Delete a claim and keep its Argo CD Application, and with it the service. From then
on the Application is nobody's in Demarc: Argo CD goes on delivering it, and who
wants it gone deletes it by hand.

It needs the right to write the team's claims: kubectl auth can-i deploy
serviceclaims.demarc.dev -n team-TEAM.`,
		Example: fmt.Sprintf(`  %[1]s release catalog --reason "moves to another platform"
  %[1]s release claim/catalog --reason "moves to another platform" --yes --wait=false`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.Names(f, target.Claim),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(cmd, args[0]); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why; it is written on the claim and into an Event")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&o.Wait, "wait", true, "wait until the claim is gone")
	factory.Timeout(cmd.Flags(), &o.Timeout, 5*time.Minute, "how long to wait")
	return cmd
}

func (o *Options) take(cmd *cobra.Command, arg string) error {
	o.Name = arg
	if strings.Contains(arg, "/") {
		kind, name, err := target.Parse([]string{arg})
		if err != nil {
			return err
		}
		if kind.Name != target.Claim.Name {
			return exit.Failed("only a claim can be released", fmt.Sprintf("a namespace that a Tenant adopted stays by itself: %s delete %s", o.Program, arg))
		}
		o.Name = name
	}
	reason, err := takedown.Reason(o.Reason)
	if err != nil {
		return exit.Usage(cmd.CommandPath(), err)
	}
	if o.Reason = reason; reason == "" {
		return exit.Usage(cmd.CommandPath(), errors.New("say why with --reason TEXT: it is written down"))
	}
	return target.Named(o.Name)
}

func run(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	found, err := takedown.Read(ctx, c, target.Claim, o.Name, o.Program)
	if err != nil {
		return err
	}
	claim := found.(*v1alpha1.ServiceClaim)
	if err := releasable(o, claim); err != nil {
		return err
	}
	if err := takedown.Delete(ctx, c, target.Claim, claim, true); err != nil {
		return err
	}
	if err := preview(ctx, o, c, claim); err != nil {
		return err
	}
	if err := ask.Confirm(ctx, o.IO, "Release claim "+o.Name+"?", o.Yes); err != nil {
		return err
	}
	if err := takedown.Annotate(ctx, c, target.Claim, claim, v1alpha1.AnnotationRelease, o.Reason); err != nil {
		return err
	}
	if err := takedown.Delete(ctx, c, target.Claim, claim, false); err != nil {
		return exit.Add(err, "The claim is as before and carries the annotation %s; to take that off: kubectl annotate serviceclaim %s %s-",
			v1alpha1.AnnotationRelease, o.Name, v1alpha1.AnnotationRelease)
	}
	if !o.Wait {
		fmt.Fprintf(o.IO.Out, "claim %s is being released\n", o.Name)
		return nil
	}
	follower := takedown.Follower{IO: o.IO, Clock: o.Clock, Client: c, Program: o.Program, Kind: target.Claim, Timeout: o.Timeout}
	if err := follower.Gone(ctx, o.Name, claim.UID); err != nil {
		return err
	}
	fmt.Fprintf(o.IO.Out, "claim %s is released; Application %s stays\n", o.Name, render.ApplicationName(claim))
	return nil
}

// releasable refuses where there is nothing to keep, or it is going already.
func releasable(o *Options, claim *v1alpha1.ServiceClaim) error {
	switch {
	case claim.DeletionTimestamp != nil:
		return exit.Refused(fmt.Sprintf("claim %s is being deleted since %s: what it delivered is going already",
			o.Name, claim.DeletionTimestamp.UTC().Format(time.RFC3339)),
			fmt.Sprintf("%s explain delete claim/%s says how far it is", o.Program, o.Name))
	case claim.Status.Application == "":
		return exit.Refused(fmt.Sprintf("claim %s has no Application yet: there is nothing to keep", o.Name),
			fmt.Sprintf("%s delete claim/%s takes the claim away", o.Program, o.Name))
	default:
		return nil
	}
}

// preview says what is kept and what changes.
func preview(ctx context.Context, o *Options, c client.Reader, claim *v1alpha1.ServiceClaim) error {
	live, err := takedown.Live(ctx, c, claim)
	if err != nil {
		return err
	}
	delivered := "what it delivers"
	if len(live) > 0 {
		delivered = "what it delivers: " + takedown.Names(live)
	}
	say := func(format string, args ...any) { fmt.Fprintln(o.IO.Out, plain.Line(fmt.Sprintf(format, args...))) }
	app, team := render.ApplicationName(claim), claim.Spec.Team
	say("Releasing claim %s of team %s keeps", o.Name, team)
	say("- %s, without Demarc's labels and annotations", takedown.Application(ctx, c, claim))
	say("- %s", delivered)
	say("and changes")
	say("- the claim goes, and with it its Ready: nobody says any more whether the service runs")
	say("- the name stays taken: a new claim %s of this team finds Application %s, which is not its own, until that is deleted", o.Name, app)
	say("- the Tenant of %s waits for Application %s when it is deleted", team, app)
	return nil
}
