// Package asked is what the verbs access, budget and exception have in common: ask for
// something, approve what others ask for, end it, and list it.
package asked

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/cli/target"
)

// Options of all of these verbs; each uses some.
type Options struct {
	IO      factory.IO
	Program string
	Clock   clock.PassiveClock
	Client  func() (client.WithWatch, error)
	Kind    Kind

	Name, Team, Reason string
	Yes, Wait, All     bool
	Timeout            time.Duration
	Output, Note       string
	// Until is when it is to end, as it was written; each verb has a flag of its own for it.
	Until string
}

// NewOptions of a verb about a kind.
func NewOptions(f *factory.Factory, k Kind) *Options {
	return &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Kind: k}
}

// NewCmd wires the verb of a kind, and below it request, which each has of its own, approve,
// list and revoke.
func NewCmd(f *factory.Factory, k Kind, short string, request *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: k.verb, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(request, newCmdApprove(f, k), newCmdList(f, k), newCmdRevoke(f, k))
	return cmd
}

// waits adds the flags of a verb that waits for the operator.
func (o *Options) waits(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&o.Wait, "wait", true, "wait until "+what)
	factory.Timeout(cmd.Flags(), &o.Timeout, time.Minute, "how long to wait")
}

// Whoami is whom the API server takes the caller for.
func Whoami(ctx context.Context, c client.Client) (string, error) {
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.Create(ctx, review); err != nil {
		return "", exit.Unreadable(err, "ask the cluster who you are")
	}
	return review.Status.UserInfo.Username, nil
}

// named adds the flag by which a script gets the name of what was done, and nothing else.
func (o *Options) named(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.Output, "output", "o", "text", strings.Join(outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
}

var outputs = []string{"text", "name"}

// output refuses forms that there are not.
func (o *Options) output(forms []string) error {
	if !slices.Contains(forms, o.Output) {
		return fmt.Errorf("there is no output %q: take one of %s", o.Output, strings.Join(forms, ", "))
	}
	return nil
}

// say tells a person; where a program reads the name, a person reads the standard error.
func (o *Options) say(format string, args ...any) {
	to := o.IO.Out
	if o.Output == "name" {
		to = o.IO.ErrOut
	}
	fmt.Fprintln(to, plain.Line(fmt.Sprintf(format, args...)))
}

// result is the name, for a program that asks for it.
func (o *Options) result(name string) {
	if o.Output == "name" {
		fmt.Fprintln(o.IO.Out, o.Kind.singular+".demarc.dev/"+plain.Line(name))
	}
}

// next tells what comes next, beside what is read by programs.
func (o *Options) next(format string, args ...any) {
	fmt.Fprintln(o.IO.ErrOut, "Next: "+plain.Line(fmt.Sprintf(format, args...)))
}

// Flags adds what every request has.
func (o *Options) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why; who approves reads it, and it is written into Events and the audit log")
	cmd.Flags().StringVar(&o.Name, "name", "", "its name; the cluster makes one of the team's otherwise")
	o.named(cmd)
}

// Complete reads what every request has: for which team, and why.
func (o *Options) Complete(cmd *cobra.Command, team string) error {
	o.Team = strings.TrimPrefix(team, "tenant/")
	reason, err := takedown.Reason(o.Reason)
	if err != nil {
		return exit.Usage(cmd.CommandPath(), err)
	}
	if o.Reason = reason; reason == "" {
		return exit.Usage(cmd.CommandPath(), errors.New("say why with --reason TEXT: who approves reads it"))
	}
	if err := o.output(outputs); err != nil {
		return exit.Usage(cmd.CommandPath(), err)
	}
	if cmd.Flags().Changed("name") {
		if err := target.Named(o.Name); err != nil {
			return err
		}
	}
	return target.Named(o.Team)
}

// Ends is the time of Until; nil where none was given.
func (o *Options) Ends() (*metav1.Time, error) {
	if o.Until == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, o.Until)
	if err != nil {
		return nil, fmt.Errorf("--until %q is no time such as 2026-12-31T18:00:00Z", o.Until)
	}
	if !at.After(o.Clock.Now()) {
		return nil, fmt.Errorf("--until %s is past", o.Until)
	}
	return &metav1.Time{Time: at}, nil
}

// Metadata lets the cluster make a name where none was given.
func (o *Options) Metadata() metav1.ObjectMeta {
	if o.Name != "" {
		return metav1.ObjectMeta{Name: o.Name}
	}
	return metav1.ObjectMeta{GenerateName: o.Team + "-"}
}

// Make makes what is asked for and says who goes on.
func (o *Options) Make(ctx context.Context, c client.Client, asked client.Object) error {
	if err := o.foretell(ctx, c, asked); err != nil {
		return err
	}
	err := c.Create(ctx, asked)
	if o.Name != "" && apierrors.IsAlreadyExists(err) {
		return exit.Refused(fmt.Sprintf("%s %s is there already", o.Kind.word, o.Name), "take another --name, or leave it out and the cluster makes one")
	}
	if err != nil {
		return exit.Unwritten(err, "ask for "+o.Kind.thing)
	}
	e := read(asked)
	o.say("%s asks for %s%s in team %s, %s: %s %s", e.RequestedBy, o.Kind.article, e.What, e.Team, e.during(), o.Kind.word, e.Name)
	o.result(e.Name)
	o.next("somebody else who may approve it runs: %s %s approve %s", o.Program, o.Kind.verb, e.Name)
	return nil
}
