// Package adopt is the verb adopt: a namespace that is there already becomes a team's,
// and what that changes is said before.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/adoption"
	"demarc.dev/demarc/internal/cli/ask"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/survey"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Namespace         string
	File              string
	CPU, Memory, Pods string
	DryRun, Yes       bool
	Output            string
	Timeout           time.Duration
}

// NewCmdAdopt wires the verb; runF replaces what it does, in tests.
func NewCmdAdopt(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "adopt NAMESPACE",
		Short: "Make a namespace that is there already a team's, and say what that changes",
		Long: `Make a namespace team-NAME that is there already the namespace of Tenant NAME: set
spec.adopt on the Tenant, or make one, and wait until the namespace is the team's.

What that changes is said before: labels and annotations, objects that are made,
who gets access, the budget against what is in use, pods that the budget's
defaults or the Pod Security level would refuse if they were made again, and
traffic from other teams that would be cut. What runs goes on running. With
--dry-run nothing is changed.

The Tenant is the one that is there, or the one in FILE, or one with the budget
that is given and the default access. What was adopted stays when the Tenant goes.

Exit codes with --dry-run: 0 nothing would be refused, 1 something would, or is in
the way, 2 it could not tell.`,
		Example: fmt.Sprintf(`  %[1]s adopt team-shop --dry-run
  %[1]s adopt team-shop --dry-run -f tenant.yaml -o json
  %[1]s adopt team-shop --cpu 4 --memory 8Gi --pods 20`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Namespace = args[0]
			if err := o.check(cmd.CommandPath()); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.File, "filename", "f", "", "file with the Tenant, - for the standard input")
	flags.StringVar(&o.CPU, "cpu", "", "budget: CPU that all pods together may request")
	flags.StringVar(&o.Memory, "memory", "", "budget: memory that all pods together may request and use")
	flags.StringVar(&o.Pods, "pods", "", "budget: how many pods there may be")
	flags.BoolVar(&o.DryRun, "dry-run", false, "say what would change; change nothing")
	flags.BoolVar(&o.Yes, "yes", false, "do not ask")
	flags.StringVarP(&o.Output, "output", "o", "text", strings.Join(document.Outputs, ", "))
	factory.Timeout(flags, &o.Timeout, 2*time.Minute, "how long to wait until the namespace is the team's")
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(document.Outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func (o *Options) check(command string) error {
	switch {
	case !slices.Contains(document.Outputs, o.Output):
		return exit.Failed(fmt.Sprintf("there is no output %q", o.Output), "take one of "+strings.Join(document.Outputs, ", "))
	case o.File != "" && o.CPU+o.Memory+o.Pods != "":
		return exit.Usage(command, errors.New("the budget stands in the file: leave --cpu, --memory and --pods out"))
	case !o.DryRun && o.Output != "text":
		return exit.Usage(command, errors.New("--output belongs to --dry-run"))
	default:
		return nil
	}
}

func run(ctx context.Context, o *Options) error {
	team, err := adoption.Team(o.Namespace)
	if err != nil {
		return impossible(o, err)
	}
	c, err := o.Client()
	if err != nil {
		return err
	}
	d, err := o.Discovery()
	if err != nil {
		return err
	}
	existing, err := read(ctx, c, team)
	if err != nil {
		return err
	}
	tenant, err := o.tenant(team, existing)
	if err != nil {
		return err
	}
	set, question, err := survey.Cluster{Client: c, Discovery: d}.Adoption(ctx, tenant, existing, o.Clock.Now())
	if err != nil {
		return exit.Unreadable(err, "look at namespace "+o.Namespace)
	}
	report, err := adoption.Preview(set, question)
	if err != nil {
		return impossible(o, err)
	}
	if o.Output != "text" {
		err = document.Write(o.IO.Out, o.Output, report)
	} else {
		text{o.IO}.report(report)
	}
	if err != nil || o.DryRun {
		return errors.Join(err, verdict(report))
	}
	return o.adopt(ctx, c, tenant, existing, report)
}

// impossible says why a namespace cannot be adopted.
func impossible(o *Options, err error) error {
	var why *adoption.ImpossibleError
	if errors.As(err, &why) {
		next := strings.ReplaceAll(why.Next, "demarc get", o.Program+" get")
		return exit.Refused(why.Why, strings.ReplaceAll(next, "demarc explain", o.Program+" explain"))
	}
	return exit.Failed(plain.Line(err.Error()), "")
}

// verdict is how a preview ends.
func verdict(r adoption.Report) error {
	switch r.Verdict() {
	case adoption.Found:
		return exit.ErrFound
	case adoption.Unknown:
		return exit.Failed("it could not be told whether something would be refused: what could not be read is listed above",
			"ask for these rights, or have somebody run this who holds them")
	default:
		return nil
	}
}

// adopt asks, writes the Tenant, and waits.
func (o *Options) adopt(ctx context.Context, c client.WithWatch, tenant, existing *v1alpha1.Tenant, r adoption.Report) error {
	if r.Refused != "" {
		return exit.Refused("the API server does not take this Tenant: "+plain.Line(r.Refused), "")
	}
	if existing != nil && o.File != "" {
		return exit.Failed(fmt.Sprintf("Tenant %s is there already, and may differ from %s", tenant.Name, o.File),
			fmt.Sprintf("bring it there first, kubectl apply -f %s, and run this without -f", o.File))
	}
	fmt.Fprintln(o.IO.Out)
	if err := ask.Confirm(ctx, o.IO, fmt.Sprintf("Make namespace %s team %s's?", r.Namespace, r.Team), o.Yes); err != nil {
		return err
	}
	if err := write(ctx, c, tenant, existing); err != nil {
		return err
	}
	return o.wait(ctx, c, tenant)
}
