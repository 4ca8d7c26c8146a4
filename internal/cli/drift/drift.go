// Package drift is the verb drift: what is declared and what is live, side by side.
package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/scope"
	"demarc.dev/demarc/internal/drift"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Scope scope.Flags
	Files []string
	// AuditLog is a file of the API server's, or "-"; Chart the folder of the platform's own.
	AuditLog, Chart string
	Output          string
	// faults are what of the files could not be read.
	faults []string
}

var outputs = []string{"table", "json", "yaml", "sarif"}

// NewCmdDrift wires the verb; runF replaces what it does, in tests.
func NewCmdDrift(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "drift [--team TEAM | -n NAMESPACE | --all]",
		Short: "Say what differs from what Git or a claim declares, who did it, and what comes next",
		Long: `Say what differs from what Git or a claim declares: which field of which object, the
declared and the live value, who changed it with what tool and when, and what happens
next: put back at the next sync, left until somebody syncs, ignored, or set anew by an
autoscaler. What nobody declares is told too: fields that were added, which Argo CD
does not look at, and objects.

What the API server fills in, what an autoscaler keeps, status, and another way to
write the same value are no drift. Values of Secrets are neither read nor shown.

Who and when is told by the managed fields of the objects. A scaling leaves no time in
them: then an event or a ReplicaSet tells it. A person's name is in an audit log alone:
--audit-log FILE reads one of the API server, a line of JSON for each event.

The cluster is asked, as you. With -f the files of "kubectl get -o yaml
--show-managed-fields" are read in its place.

Exit codes: 0 nothing differs (notes do not count), 1 something does, 2 it could not
tell: something could not be read that could have shown a difference, which is named.`,
		Example: fmt.Sprintf(`  %[1]s drift --team payments
  %[1]s drift -n team-payments --audit-log /var/log/kubernetes/audit.log
  %[1]s drift --all -o sarif > drift.sarif
  kubectl get deploy,svc,cm,hpa,rs,events -n team-payments -o yaml --show-managed-fields | %[1]s drift -n team-payments -f -`, f.Program),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
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
	flags := cmd.Flags()
	o.Scope.Add(cmd, f)
	flags.StringArrayVarP(&o.Files, "filename", "f", nil, "file or folder to read in the place of a cluster, - for the standard input")
	flags.StringVar(&o.AuditLog, "audit-log", "", "the API server's audit log, which knows the names of people")
	flags.StringVar(&o.Chart, "chart", "", "folder of the platform's own chart; without it claims are rendered by the one that comes with this program")
	flags.StringVarP(&o.Output, "output", "o", "table", strings.Join(outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func (o *Options) check() error {
	switch {
	case !slices.Contains(outputs, o.Output):
		return fmt.Errorf("there is no output %q: take one of %s", o.Output, strings.Join(outputs, ", "))
	case o.AuditLog == "-" && slices.Contains(o.Files, "-"):
		return errors.New("the standard input is either the objects or the audit log")
	}
	return o.Scope.Check()
}

func run(ctx context.Context, o *Options) error {
	set, q, err := o.read(ctx)
	if err != nil {
		return err
	}
	found := drift.Check(set, q)
	if err := o.print(found, q.Namespaces); err != nil {
		return err
	}
	switch {
	case found.Found():
		return exit.ErrFound
	case len(found.Unknown) > 0:
		return exit.Failed("it could not be told whether anything differs: "+plain.Line(unread(found)), "ask for these rights, or have somebody run this who holds them")
	case len(o.faults) > 0:
		return exit.Failed("it could not be told whether anything differs: something in the files could not be read", "see the notes")
	}
	return nil
}

func unread(r drift.Report) string {
	const few = 5
	parts := scope.NotRead(r.Unknown)
	if more := len(parts) - few; more > 0 {
		parts = append(parts[:few], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}
