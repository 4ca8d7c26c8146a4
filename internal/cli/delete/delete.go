// Package delete is the verb delete: a claim or a tenant goes, in order and with
// words, or by force.
package delete

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/ask"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/cli/target"
)

// Options of the verb.
type Options struct {
	IO      factory.IO
	Program string
	Clock   clock.PassiveClock
	Client  func() (client.WithWatch, error)
	// Discovery is for the preview, which looks at all that is in a namespace.
	Discovery func() (discovery.DiscoveryInterface, error)

	Kind    target.Kind
	Name    string
	Force   bool
	Reason  string
	Yes     bool
	DryRun  bool
	Wait    bool
	Timeout time.Duration
}

// NewCmdDelete wires the verb; runF replaces what it does, in tests.
func NewCmdDelete(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "delete KIND/NAME",
		Short: "Delete a claim or a tenant, and say what that waits for",
		Long: `Delete a claim or a tenant. What goes with it is said before, and what the
deletion waits for while it lasts: Demarc takes things down in order and never
past what blocks.

With --force Demarc lets go of what blocks, and leaves it behind: nobody's, and for
you to clean up. That needs a reason, which is written down, and the verb force:
on serviceclaims in namespace team-TEAM for a claim, on tenants for a tenant.`,
		Example: fmt.Sprintf(`  %[1]s delete claim/catalog
  %[1]s delete tenant/payments --dry-run
  %[1]s delete claim/catalog --force --reason "cluster of Argo CD is lost" --yes`, f.Program),
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: complete.Targets(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(cmd, args); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.Force, "force", false, "let go of what blocks, and leave it behind")
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why it is forced; it is written on the object and into an Event")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would go and whether it would be let through; delete nothing")
	cmd.Flags().BoolVar(&o.Wait, "wait", true, "wait until it is gone")
	factory.Timeout(cmd.Flags(), &o.Timeout, 5*time.Minute, "how long to wait")
	return cmd
}

func (o *Options) take(cmd *cobra.Command, args []string) error {
	var err error
	o.Kind, o.Name, err = target.Parse(args)
	var long error
	o.Reason, long = takedown.Reason(o.Reason)
	switch {
	case err != nil:
		return err
	case long != nil:
		return exit.Usage(cmd.CommandPath(), long)
	case o.Force && o.Reason == "":
		return exit.Usage(cmd.CommandPath(), errors.New("say why with --reason TEXT: what is forced is written down"))
	case !o.Force && o.Reason != "":
		return exit.Usage(cmd.CommandPath(), errors.New("--reason belongs to --force"))
	default:
		return nil
	}
}

func run(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	object, err := takedown.Read(ctx, c, o.Kind, o.Name, o.Program)
	if err != nil {
		return err
	}
	if o.Force {
		if err := mayForce(ctx, c, object); err != nil {
			return err
		}
	}
	// A refusal comes before anything is said or asked.
	if err := takedown.Delete(ctx, c, o.Kind, object, true); err != nil {
		return err
	}
	if err := preview(ctx, o, c, object); err != nil {
		return err
	}
	if o.DryRun {
		fmt.Fprintln(o.IO.Out, "dry run: it would be let through; nothing was deleted")
		return nil
	}
	if err := ask.Confirm(ctx, o.IO, question(o), o.Yes); err != nil {
		return err
	}
	return remove(ctx, o, c, object)
}

func question(o *Options) string {
	if o.Force {
		return fmt.Sprintf("Delete %s %s by force, and leave behind what is named above?", o.Kind.Word, o.Name)
	}
	return fmt.Sprintf("Delete %s %s?", o.Kind.Word, o.Name)
}

// remove deletes first: the mark of force says what to do with what is being deleted.
func remove(ctx context.Context, o *Options, c client.WithWatch, object client.Object) error {
	if object.GetDeletionTimestamp() == nil {
		if err := takedown.Delete(ctx, c, o.Kind, object, false); err != nil {
			return err
		}
	}
	if o.Force {
		if err := force(ctx, o, c, object); err != nil {
			return err
		}
	}
	if !o.Wait {
		fmt.Fprintf(o.IO.Out, "%s %s is being deleted\n", o.Kind.Word, o.Name)
		return nil
	}
	follower := takedown.Follower{IO: o.IO, Clock: o.Clock, Client: c, Program: o.Program, Kind: o.Kind, Timeout: o.Timeout}
	if err := follower.Gone(ctx, o.Name, object.GetUID()); err != nil {
		return err
	}
	fmt.Fprintf(o.IO.Out, "%s %s is deleted\n", o.Kind.Word, o.Name)
	if o.Force {
		fmt.Fprintf(o.IO.Out, "What was left behind stands in an Event: kubectl get events -A --field-selector reason=Forced,involvedObject.name=%s\n", o.Name)
	}
	return nil
}
