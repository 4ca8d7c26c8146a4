// Package check is the verb check: what the guardrails would refuse, before it meets a
// cluster, and with --live what of a cluster they would refuse today.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Paths      []string
	Recursive  bool
	Team       string
	Platform   []string
	Exceptions []string
	Base       string
	Rules      []string
	Values     []string
	At         string
	Live       bool
	Rule       []string
	Strict     bool
	Notes      bool
	Output     string
}

// outputs are the forms of the answer.
var outputs = []string{"text", "json", "yaml", "sarif", "github"}

// NewCmdCheck wires the verb; runF replaces what it does, in tests.
func NewCmdCheck(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "check FILE|FOLDER|-... | --live",
		Short: "Say what the guardrails would refuse, before it meets a cluster",
		Long: `Say what the guardrails would refuse: file, line, what is allowed, and how to ask
for an exception. No cluster is asked: the very policies of the cluster are
evaluated here, by the API server's own code.

Files hold manifests, YAML or JSON. A folder with a kustomization is built, one with
a Chart.yaml is rendered with --values, and of any other the files are read. What a
ServiceClaim becomes is checked with it. Nothing is fetched, and no plugin is run.

Objects that name no namespace are those of --team; without it they are judged as a
team's that has no settings of its own. The platform's settings are those of
--platform, a file of the Platform and, if wanted, of Tenants, or of the cluster's
GuardrailSets; without it the defaults hold. With --base a change is judged: what was
there before and is in that revision too is not held against it.

With --live the cluster is read in the place of files: what runs today and would be
refused if it were made today, for each team and rule, and which controllers could
no longer do their work if the rules were deny.

Exit codes: 0 nothing would be refused (with --strict: nor warned of), 1 something
would, 2 it could not tell.`,
		Example: fmt.Sprintf(`  %[1]s check deploy.yaml --team payments --platform platform.yaml
  %[1]s check overlays/production --base origin/main -o github
  kustomize build . | %[1]s check - --team payments
  %[1]s check charts/web --values production.yaml
  kubectl get guardrailsets -o yaml > sets.yaml && %[1]s check k8s/ -R --platform sets.yaml
  %[1]s check --live --team payments`, f.Program),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Paths = args
			if err := o.valid(); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.Recursive, "recursive", "R", false, "folders with all below them")
	flags.StringVar(&o.Team, "team", "", "team whose objects they are that name no namespace; with --live: that team alone")
	flags.StringArrayVar(&o.Platform, "platform", nil, "file or folder with the Platform, Tenants, or GuardrailSets of a cluster")
	flags.StringArrayVar(&o.Exceptions, "exceptions", nil, "file or folder with GuardrailExceptions")
	flags.StringVar(&o.Base, "base", "", "revision of Git that the change is made to, such as origin/main")
	flags.StringArrayVar(&o.Rules, "rules", nil, "file or folder with ValidatingAdmissionPolicies of your own")
	flags.StringArrayVar(&o.Values, "values", nil, "file of values for charts; may be given several times, the later over the earlier")
	flags.StringVar(&o.At, "at", "", "time that it is judged at, such as 2027-01-31T12:00:00Z: exceptions end; default now")
	flags.BoolVar(&o.Live, "live", false, "read a cluster in the place of files")
	flags.StringSliceVar(&o.Rule, "rule", nil, "with --live: these rules alone, those that are off too")
	flags.BoolVar(&o.Strict, "strict", false, "end with 1 where something is warned of, too")
	flags.BoolVar(&o.Notes, "notes", false, "print what is only noted, too: rules in the mode audit, and what only a cluster knows")
	flags.StringVarP(&o.Output, "output", "o", "text", strings.Join(outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func (o *Options) valid() error {
	switch {
	case !slices.Contains(outputs, o.Output):
		return fmt.Errorf("there is no output %q: take one of %s", o.Output, strings.Join(outputs, ", "))
	case o.Live && len(o.Paths) > 0:
		return errors.New("--live reads a cluster, and these are files: give one of them")
	case o.Live && (o.Base != "" || len(o.Platform)+len(o.Exceptions)+len(o.Values) > 0):
		return errors.New("--base, --platform, --exceptions and --values are for files, and --live reads a cluster")
	case o.Live && o.Output == "github":
		return errors.New("annotations are for files, and --live reads a cluster: take -o json or sarif")
	case !o.Live && len(o.Rule) > 0:
		return errors.New("--rule belongs to --live")
	case o.Team != "" && len(validation.IsDNS1123Label(o.Team)) > 0:
		return fmt.Errorf("--team %q is the name of no team: lower-case letters, digits and '-'", o.Team)
	case !o.Live && len(o.Paths) == 0:
		return errors.New("name a file, a folder, or - for the standard input; or give --live")
	}
	_, err := o.at()
	return err
}

// at is the time that it is judged at.
func (o *Options) at() (time.Time, error) {
	if o.At == "" {
		return o.Clock.Now(), nil
	}
	at, err := time.Parse(time.RFC3339, o.At)
	if err != nil {
		return at, fmt.Errorf("--at takes a time such as 2027-01-31T12:00:00Z, not %q", o.At)
	}
	return at, nil
}

func run(ctx context.Context, o *Options) error {
	if o.Live {
		return o.live(ctx)
	}
	question, notes, err := o.question(ctx)
	if err != nil {
		return err
	}
	for _, n := range notes {
		o.note(n)
	}
	answer, err := check.Check(question)
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	if err := o.print(answer); err != nil {
		return err
	}
	return o.end(answer)
}

// end is how the command ends.
func (o *Options) end(a check.Answer) error {
	switch {
	case a.Refused(), o.Strict && warns(a):
		return exit.ErrFound
	case len(a.Unjudged) > 0:
		u := a.Unjudged[0]
		return exit.Failed(fmt.Sprintf("%d objects could not be judged, such as %s: %s", len(a.Unjudged), u.Place, u.Why),
			"write them in a version that is served: kubectl api-versions lists those of a cluster")
	}
	return nil
}
