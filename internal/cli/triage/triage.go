// Package triage is the verb triage: what is wrong in a cluster, or in a dump of one, whose it
// is, and the next step.
package triage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/scope"
	"demarc.dev/demarc/internal/triage"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Config    func() (*rest.Config, error)
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Scope  scope.Flags
	Files  []string
	At     string
	Logs   bool
	Output string

	at time.Time
}

var outputs = []string{"table", "json", "yaml", "sarif"}

// NewCmdTriage wires the verb; runF replaces what it does, in tests.
func NewCmdTriage(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Config: f.Config, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "triage",
		Short: "Say what is wrong, whose it is, and what to do next",
		Long: `Say what is wrong: each cause once, with what follows from it folded under it; the
evidence, in the cluster's own words; who must act, by the ownership contract; and
the next step. Causes stand by who must act: the platform, each team, and what takes
both.

Without a flag it looks at your teams, or at all where you may list all pods. Where
you may, it reads the cluster beyond them too: a node is full of everybody's pods,
and what two teams meet at one thing is the platform's. Nothing is written; of
Secrets the names are read.

With -f a dump is read in the place of a cluster: files or folders of "kubectl get -o
yaml" or json, "kubectl cluster-info dump", a must-gather, or what "dump" wrote,
which finds the same as on its cluster. What is broken in it is told and passed over.

Exit codes: 0 nothing is wrong (notes do not count), 1 something is, 2 it could not
tell: nothing was found, and something that was asked about could not be read.`,
		Example: fmt.Sprintf(`  %[1]s triage
  %[1]s triage --team payments --logs
  %[1]s triage --all -o sarif > triage.sarif
  %[1]s triage -f must-gather/ -n team-payments`, f.Program),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.Scope.Add(cmd, f)
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Files, "filename", "f", nil, "dump to read in the place of a cluster: a file, a folder with all below it, or - for the standard input")
	flags.StringVar(&o.At, "at", "", "with -f: when the dump was made, such as 2026-03-02T12:00:00Z, where it does not say so itself")
	flags.BoolVar(&o.Logs, "logs", false, "read the last lines of the log of a container that fails too, for each cause")
	flags.StringVarP(&o.Output, "output", "o", "table", strings.Join(outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func (o *Options) check() (err error) {
	switch {
	case !slices.Contains(outputs, o.Output):
		return fmt.Errorf("there is no output %q: take one of %s", o.Output, strings.Join(outputs, ", "))
	case o.Logs && len(o.Files) > 0:
		return errors.New("--logs asks a cluster, and -f reads a dump: give one of them")
	case o.At != "" && len(o.Files) == 0:
		return errors.New("--at belongs to -f")
	case o.At != "":
		if o.at, err = time.Parse(time.RFC3339, o.At); err != nil {
			return fmt.Errorf("--at: %q is no time: write it as 2026-03-02T12:00:00Z", o.At)
		}
	}
	return o.Scope.Check()
}

func run(ctx context.Context, o *Options) error {
	g, err := o.gather(ctx)
	if err != nil {
		return err
	}
	if err := o.Scope.There(g.set, g.files); err != nil {
		return err
	}
	found, others := triage.Check(g.set, triage.Question{Files: g.files && !g.whole}).Within(g.namespaces)
	a := answerOf(found, g, others)
	if o.Logs {
		if err := o.logs(ctx, g.set, &a, found.Findings); err != nil {
			return err
		}
	}
	if err := o.print(a); err != nil {
		return err
	}
	switch {
	case found.Counts():
		return exit.ErrFound
	case len(g.faults) > 0:
		return exit.Failed(fmt.Sprintf("nothing was found, and not all of the dump was read: %s", plain.Line(g.faults[0])), "mend it or leave it out, and run this again")
	case a.Looked == 0:
		return exit.Failed("nothing was looked at: no object is of a kind that triage knows", "give pods, deployments, events, nodes and what else there is; "+o.Program+" dump writes all of it")
	case len(a.unknown) > 0:
		return exit.Failed("nothing was found, and not all could be read: "+plain.Line(few(scope.NotRead(a.unknown))), "ask for these rights, or have somebody run this who holds them")
	}
	return nil
}

func few(lines []string) string {
	const shown = 5
	if more := len(lines) - shown; more > 0 {
		lines = append(slices.Clone(lines[:shown]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}
