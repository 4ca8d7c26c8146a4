// Package status is the verb status: the seven questions about one service, answered on one
// screen.
package status

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
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/status"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Config    func() (*rest.Config, error)
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Question status.Question
	// Arg is the service as it was given.
	Arg       string
	Namespace string
	Output    string
	Watch     bool
	Timeout   time.Duration
	// Every is how long watching rests between two looks.
	Every time.Duration
}

// NewCmdStatus wires the verb; runF replaces what it does, in tests.
func NewCmdStatus(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Config: f.Config, Client: f.Client, Discovery: f.Discovery, Every: time.Second}
	cmd := &cobra.Command{
		Use:   "status SERVICE",
		Short: "Say how a service is: running, ready, restarts, log, image, rollout, throttling",
		Long: `Say on one screen how a service is: is it running, is it ready, why did it restart,
what does its log say, which image is it, is its rollout progressing, is it throttled.
Below stand what triage finds, with who acts and how, the claim's conditions, what the
team's budget has left, and who changed what lately.

SERVICE is the name of a claim; with -n it is a Deployment, StatefulSet, DaemonSet,
CronJob or Job of that namespace, as KIND/NAME or by its name. The cluster is asked, as
you: what you may not read is not known, and it is said why. A log is shown without what
looks like a secret, at most 20 lines of it. Whether it is throttled is known where
spec.prometheus of the Platform names a Prometheus.

With --watch a rollout is followed until what was asked for runs, or fails for good.

Exit codes: 0 it is ready, 1 it is not, or there is no such service, 2 it could not be
told; with --watch as kubectl rollout status: 0 it has come to be, 1 it failed for good or
the time was up.`,
		Example: fmt.Sprintf(`  %[1]s status web
  %[1]s status api -n team-payments
  %[1]s status statefulset/db -n team-payments -o json
  %[1]s status web --watch --timeout 5m`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.Names(f, target.Claim),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Arg = args[0]
			if err := o.take(cmd.CommandPath()); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the workload; without it SERVICE is a claim")
	flags.StringVarP(&o.Output, "output", "o", "text", strings.Join(document.Outputs, ", "))
	flags.BoolVarP(&o.Watch, "watch", "w", false, "follow the rollout until it is ready or has failed for good")
	factory.Timeout(flags, &o.Timeout, 0, "with --watch: how long to follow")
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(document.Outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

// take reads the arguments.
func (o *Options) take(command string) error {
	switch {
	case !slices.Contains(document.Outputs, o.Output):
		return exit.Failed(fmt.Sprintf("there is no output %q", o.Output), "take one of "+strings.Join(document.Outputs, ", "))
	case o.Watch && o.Output != "text":
		return exit.Usage(command, errors.New("--watch follows in words: leave -o out"))
	case !o.Watch && o.Timeout > 0:
		return exit.Usage(command, errors.New("--timeout belongs to --watch"))
	}
	word, name, slash := strings.Cut(o.Arg, "/")
	if !slash {
		name = o.Arg
	}
	if err := target.Named(name); err != nil {
		return err
	}
	if o.Namespace == "" {
		return o.takeClaim(word, name, slash)
	}
	if err := target.Space(o.Namespace); err != nil {
		return err
	}
	o.Question = status.Question{Namespace: o.Namespace, Workload: name}
	if !slash {
		return nil
	}
	kind, ok := workloads[strings.ToLower(word)]
	if !ok {
		return exit.Failed(fmt.Sprintf("%q is no kind that a service runs as", word), "take deployment, statefulset, daemonset, cronjob or job")
	}
	o.Question.Kind = kind
	return nil
}

func (o *Options) takeClaim(word, name string, slash bool) error {
	if slash {
		if _, ok := workloads[strings.ToLower(word)]; ok {
			return exit.Failed("a "+strings.ToLower(word)+" lives in a namespace", "name it with -n NAMESPACE")
		}
		kind, _, err := target.Parse([]string{o.Arg})
		if err != nil {
			return err
		}
		if kind.Name != target.Claim.Name {
			return exit.Failed("a tenant is no service", fmt.Sprintf("%s triage --team %s says what is wrong in a team", o.Program, name))
		}
	}
	o.Question = status.Question{Claim: name}
	return nil
}

// workloads by the words that kubectl knows them by.
var workloads = func() map[string]string {
	words := map[string]string{}
	for kind, short := range map[string]string{"Deployment": "deploy", "StatefulSet": "sts", "DaemonSet": "ds", "CronJob": "cj", "Job": "job"} {
		plural := strings.ToLower(kind)
		for _, w := range []string{short, plural, plural + "s", plural + ".apps", plural + "s.apps", plural + ".batch", plural + "s.batch"} {
			words[w] = kind
		}
	}
	return words
}()
