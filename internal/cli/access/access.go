// Package access is the verbs access and budget: ask for access to a team's namespace or
// for a larger budget, approve what others ask for, end it, and list it.
package access

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
)

// Options of all of these verbs; each uses some.
type Options struct {
	IO      factory.IO
	Program string
	Clock   clock.PassiveClock
	Client  func() (client.WithWatch, error)

	Name, Team, Reason string
	Yes, Wait, All     bool
	Timeout            time.Duration
	Output             string
	Role, User, Group  string
	ServiceAccount     string
	For                time.Duration
	Until              string
	CPU, Memory        string
	Pods               int64
	Note               string
	kind               kind
}

func options(f *factory.Factory, k kind) *Options {
	return &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, kind: k}
}

// runFunc is what a verb does.
type runFunc = func(context.Context, *Options) error

// NewCmdAccess wires the verb access and those below it.
func NewCmdAccess(f *factory.Factory) *cobra.Command {
	cmd := group("access", "Ask for access to a team's namespace for some hours, and approve, list or end it")
	cmd.AddCommand(newCmdRequestAccess(f, requestAccess), newCmdApprove(f, grants, word), newCmdList(f, grants, list), newCmdRevoke(f, grants, word))
	return cmd
}

// NewCmdBudget wires the verb budget and those below it.
func NewCmdBudget(f *factory.Factory) *cobra.Command {
	cmd := group("budget", "Ask for a larger budget for a team, and approve, list or end it")
	cmd.AddCommand(newCmdRequestBudget(f, requestBudget), newCmdApprove(f, budgets, word), newCmdList(f, budgets, list), newCmdRevoke(f, budgets, word))
	return cmd
}

func group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
}

// waits adds the flags of a verb that waits for the operator.
func (o *Options) waits(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&o.Wait, "wait", true, "wait until "+what)
	factory.Timeout(cmd.Flags(), &o.Timeout, time.Minute, "how long to wait")
}

// whoami is whom the API server takes the caller for.
func whoami(ctx context.Context, c client.Client) (string, error) {
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
		fmt.Fprintln(o.IO.Out, o.kind.singular+".demarc.dev/"+plain.Line(name))
	}
}

// next tells what comes next, beside what is read by programs.
func (o *Options) next(format string, args ...any) {
	fmt.Fprintln(o.IO.ErrOut, "Next: "+plain.Line(fmt.Sprintf(format, args...)))
}
