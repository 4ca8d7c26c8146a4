package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
)

// Options of explain delete.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	// Word for the kind, and the name, as they were given.
	Word, Name string
	Namespace  string
	Output     string
}

func newCmdDelete(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "delete KIND/NAME",
		Short: "Explain what holds the deletion of an object, or what would",
		Long: `Explain what holds the deletion of an object: which finalizer of which controller,
since when, in the cluster's own words, and the safe next step. What comes first
is to be mended first. Of an object that is not being deleted it says what
kubectl delete would do, in order, and what would hold it; nothing is deleted.

Any kind can be asked about; of tenants, claims, namespaces, Applications,
AppProjects and CRDs it knows what belongs to them. What you may not read is named.

Exit codes: 0 nothing holds it, 1 something does, or is left behind, 2 it could not tell.`,
		Example: fmt.Sprintf(`  %[1]s explain delete tenant/payments
  %[1]s explain delete claim/catalog -o json
  %[1]s explain delete configmap/settings -n team-payments
  %[1]s explain delete crd/tenants.demarc.dev`, f.Program),
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: complete.Targets(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the object, where it lives in one")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "text", strings.Join(document.Outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(document.Outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

// take reads the arguments, KIND/NAME or KIND NAME.
func (o *Options) take(args []string) error {
	word, name, slash := strings.Cut(args[0], "/")
	if !slash && len(args) == 2 {
		name = args[1]
	}
	switch {
	case slash && len(args) == 2, word == "", name == "" || strings.ContainsAny(name, "/ \t\n%"):
		return exit.Failed(fmt.Sprintf("%q does not name one object", strings.Join(args, " ")), "name it as KIND/NAME, such as tenant/payments")
	case !slices.Contains(document.Outputs, o.Output):
		return exit.Failed(fmt.Sprintf("there is no output %q", o.Output), "take one of "+strings.Join(document.Outputs, ", "))
	}
	o.Word, o.Name = word, name
	return nil
}

func run(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	d, err := o.Discovery()
	if err != nil {
		return err
	}
	object, err := o.object(ctx, c, d)
	if err != nil {
		return err
	}
	set, question, err := survey.Cluster{Client: c, Discovery: d}.Deletion(ctx, object, o.Clock.Now())
	if err != nil {
		return exit.Unreadable(err, "explain the deletion of "+object.String())
	}
	if set.Get(object.GroupKind(), object.Namespace, object.Name) == nil {
		if _, missed := set.Missed(object.GroupKind(), object.Namespace, object.Name); !missed {
			return exit.Refused("there is no "+object.String(), "it is gone, or it never was; what an owner left behind is asked about by its own name, such as namespace/NAME")
		}
	}
	report := deletion.Explain(set, question)
	if o.Output == "text" {
		text{IO: o.IO, now: o.Clock.Now()}.report(report)
	} else if err := document.Write(o.IO.Out, o.Output, report); err != nil {
		return err
	}
	return verdict(report)
}

// verdict is how the command ends.
func verdict(r deletion.Report) error {
	switch r.Verdict() {
	case deletion.Blocked:
		return exit.ErrFound
	case deletion.Unknown:
		return exit.Failed("it could not be told whether something holds "+r.Object.String()+": "+plain.Line(missing(r.Unread)),
			"ask for these rights, or have somebody run this who holds them")
	default:
		return nil
	}
}

// missing lists what could not be read, in one line.
func missing(unread []snapshot.Unread) string {
	const shown = 5
	var parts []string
	for _, line := range deletion.Missing(unread) {
		parts = append(parts, line)
		if len(parts) == shown {
			parts = append(parts, "and more")
			break
		}
	}
	return strings.Join(parts, "; ")
}

// ago says how long ago a time was.
func ago(now, at time.Time) string {
	d := now.Sub(at)
	switch {
	case d < 0:
		return "from now on"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}
