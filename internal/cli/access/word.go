package access

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/ask"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/readiness"
)

func newCmdApprove(f *factory.Factory, k kind, run runFunc) *cobra.Command {
	o := options(f, k)
	cmd := &cobra.Command{
		Use:   "approve NAME",
		Short: "Approve what somebody else asked for",
		Long: fmt.Sprintf(`Approve what somebody else asked for; what that is is shown first. Nobody approves what
they asked for themselves. It needs the verb approve, which follows from the answer of
approves in the ownership contract: kubectl auth can-i approve %s.demarc.dev
-n team-TEAM.`, k.resource),
		Example: fmt.Sprintf(`  %[1]s %[2]s list
  %[1]s %[2]s approve payments-x7k2p`, f.Program, k.verb),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			note, err := takedown.Reason(o.Note)
			if err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			o.Name, o.Note = args[0], note
			if err := target.Named(o.Name); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Note, "note", "", "what is to be said with it")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "do not ask")
	o.waits(cmd, "it is in force")
	return cmd
}

func newCmdRevoke(f *factory.Factory, k kind, run runFunc) *cobra.Command {
	o := options(f, k)
	cmd := &cobra.Command{
		Use:   "revoke NAME --reason TEXT",
		Short: "End it at once, or take a request back",
		Long: `End it at once, or take back what was asked for. Who asked, whom it is for, and who may
approve it can do so. It does not begin again.`,
		Example: fmt.Sprintf(`  %[1]s %[2]s revoke payments-x7k2p --reason "it is mended"`, f.Program, k.verb),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			reason, err := takedown.Reason(o.Reason)
			if err == nil && reason == "" {
				err = fmt.Errorf("say why with --reason TEXT: it is written down")
			}
			if err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			o.Name, o.Reason = args[0], reason
			if err := target.Named(o.Name); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why; it is written into Events and the audit log")
	o.waits(cmd, "it has ended")
	return cmd
}

// word puts one's word, an approval or a revocation, on what was asked for.
func word(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	found, err := o.find(ctx, c)
	if err != nil {
		return err
	}
	me, err := whoami(ctx, c)
	if err != nil {
		return err
	}
	e, approves := read(found), o.Reason == ""
	if err := o.possible(e, approves); err != nil {
		return err
	}
	said := map[string]any{"revocation": map[string]string{"by": me, "reason": o.Reason}}
	if approves {
		o.say("%s asks for %s in team %s, %s: %s", e.RequestedBy, e.What, e.Team, e.during(), e.Reason)
		if err := ask.Confirm(ctx, o.IO, "Approve it as "+me+"?", o.Yes); err != nil {
			return err
		}
		approval := map[string]string{"by": me}
		if o.Note != "" {
			approval["note"] = o.Note
		}
		said = map[string]any{"approval": approval}
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": found.GetUID()}, "spec": said})
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	if err := c.Patch(ctx, found, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return exit.Unwritten(err, fmt.Sprintf("change %s %s", o.kind.word, o.Name))
	}
	return o.follow(ctx, c, approves)
}

func (o *Options) find(ctx context.Context, c client.Reader) (client.Object, error) {
	found := o.kind.new()
	err := c.Get(ctx, types.NamespacedName{Name: o.Name}, found)
	if apierrors.IsNotFound(err) {
		return nil, exit.Refused(fmt.Sprintf("there is no %s %s", o.kind.word, o.Name), fmt.Sprintf("%s %s list --all lists what there is", o.Program, o.kind.verb))
	}
	return found, exit.Unreadable(err, "read "+o.kind.word+" "+o.Name)
}

// possible refuses what has no effect any more.
func (o *Options) possible(e entry, approves bool) error {
	anew := fmt.Sprintf("what is to go on is asked for anew: %s %s request", o.Program, o.kind.verb)
	switch {
	case e.EndedAt != nil:
		return exit.Refused(fmt.Sprintf("%s %s ended at %s (%s)", o.kind.word, o.Name, moment(e.EndedAt), e.State), anew)
	case e.RevokedBy != "":
		return exit.Refused(fmt.Sprintf("%s %s was revoked by %s", o.kind.word, o.Name, e.RevokedBy), anew)
	case approves && e.ApprovedBy != "":
		return exit.Refused(fmt.Sprintf("%s %s was approved by %s already", o.kind.word, o.Name, e.ApprovedBy), "")
	default:
		return nil
	}
}

// follow waits until the operator has done what was said.
func (o *Options) follow(ctx context.Context, c client.Reader, approves bool) error {
	done := map[bool]string{true: "approved", false: "revoked"}[approves]
	if !o.Wait {
		o.say("%s %s is %s; the operator does the rest", o.kind.word, o.Name, done)
		return nil
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	var last entry
	for {
		found, err := o.find(ctx, c)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil {
			last = read(found)
			switch {
			case !approves && last.EndedAt != nil:
				o.say("%s %s is revoked", o.kind.word, o.Name)
				return nil
			case last.EndedAt != nil:
				return exit.Refused(fmt.Sprintf("%s %s is approved and not in force: %s", o.kind.word, o.Name, last.Message), "")
			case approves && last.ready == metav1.ConditionTrue:
				o.say("%s %s is in force%s", o.kind.word, o.Name, last.end())
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return exit.Refused(fmt.Sprintf("%s %s is %s, and %s has not come of it yet: %s", o.kind.word, o.Name, done, readiness.Ready, last.Message),
				fmt.Sprintf("see whether the operator runs; %s %s list shows how it stands", o.Program, o.kind.verb))
		case <-tick.C:
		}
	}
}

func (e entry) end() string {
	if e.Expires == nil {
		return ", without an end"
	}
	return " until " + moment(e.Expires)
}
