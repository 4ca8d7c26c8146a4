package asked

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/ask"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/takedown"
)

func newCmdApprove(f *factory.Factory, k Kind) *cobra.Command {
	o := NewOptions(f, k)
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
			if err := o.output(outputs); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			o.Note = note
			if o.Name, err = o.Kind.one(args[0]); err != nil {
				return err
			}
			return word(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Note, "note", "", "what is to be said with it")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "do not ask")
	o.named(cmd)
	o.waits(cmd, "it is in force")
	return cmd
}

func newCmdRevoke(f *factory.Factory, k Kind) *cobra.Command {
	o := NewOptions(f, k)
	cmd := &cobra.Command{
		Use:   "revoke NAME --reason TEXT",
		Short: "End it at once, or take a request back",
		Long: `End it at once, or take back what was asked for. It does not begin again.

` + k.revokers,
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
			if err := o.output(outputs); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			o.Reason = reason
			if o.Name, err = o.Kind.one(args[0]); err != nil {
				return err
			}
			return word(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why; it is written into Events and the audit log")
	o.named(cmd)
	o.waits(cmd, "it has ended")
	return cmd
}

// word puts one's word, an approval or a revocation, on what was asked for.
func word(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	approves := o.Reason == ""
	found, err := o.find(ctx, c)
	if err != nil {
		return o.elsewhere(err, approves, "who asked for it")
	}
	me, err := Whoami(ctx, c)
	if err != nil {
		return err
	}
	e := read(found)
	if err := o.possible(e, approves); err != nil {
		return err
	}
	said := map[string]any{"revocation": map[string]string{"by": me, "reason": o.Reason}}
	if approves {
		o.say("%s asks for %s%s in team %s, %s: %s", e.RequestedBy, o.Kind.article, e.What, e.Team, e.during(), e.Reason)
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
		return o.elsewhere(exit.Unwritten(err, fmt.Sprintf("change %s %s", o.Kind.word, o.Name)), approves, e.RequestedBy)
	}
	return o.follow(ctx, c, read(found), approves)
}

// elsewhere says who ends it where one's own rights do not reach: whom it is for may have
// no role of a team, and so no right to write it.
func (o *Options) elsewhere(err error, approves bool, asker string) error {
	var e *exit.Error
	if approves || !errors.As(err, &e) || !apierrors.IsForbidden(err) || e.Next == "" {
		return err
	}
	told := *e
	told.Next = fmt.Sprintf("have %s, or who holds the verb approve, run: %s %s revoke %s --reason TEXT", asker, o.Program, o.Kind.verb, o.Name)
	return &told
}

func (o *Options) find(ctx context.Context, c client.Reader) (client.Object, error) {
	found := o.Kind.new()
	err := c.Get(ctx, types.NamespacedName{Name: o.Name}, found)
	if apierrors.IsNotFound(err) {
		return nil, exit.Refused(fmt.Sprintf("there is no %s %s", o.Kind.word, o.Name), fmt.Sprintf("%s %s list --all lists what there is", o.Program, o.Kind.verb))
	}
	return found, exit.Unreadable(err, "read "+o.Kind.word+" "+o.Name)
}

// possible refuses what has no effect any more.
func (o *Options) possible(e entry, approves bool) error {
	anew := fmt.Sprintf("what is to go on is asked for anew: %s %s request", o.Program, o.Kind.verb)
	switch {
	case e.EndedAt != nil:
		return exit.Refused(fmt.Sprintf("%s %s ended at %s (%s)", o.Kind.word, o.Name, moment(e.EndedAt), e.State), anew)
	case e.RevokedBy != "":
		return exit.Refused(fmt.Sprintf("%s %s was revoked by %s", o.Kind.word, o.Name, e.RevokedBy), anew)
	case approves && e.ApprovedBy != "":
		return exit.Refused(fmt.Sprintf("%s %s was approved by %s already", o.Kind.word, o.Name, e.ApprovedBy), "")
	default:
		return nil
	}
}
