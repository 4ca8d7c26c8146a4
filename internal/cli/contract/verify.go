package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	forms "demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/version"
	"demarc.dev/demarc/internal/report"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/verify"
)

// VerifyOptions of the verb.
type VerifyOptions struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Config    func() (*rest.Config, error)
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Files     []string
	Recursive bool
	Team      string
	Probe     bool
	Output    string
}

var verifyOutputs = append(slices.Clone(forms.Outputs), "sarif")

func newCmdVerify(f *factory.Factory, runF func(context.Context, *VerifyOptions) error) *cobra.Command {
	o := &VerifyOptions{IO: f.IO, Program: f.Program, Clock: f.Clock, Config: f.Config, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Say whether the cluster agrees with the ownership contract",
		Long: `Say whether the cluster agrees with the ownership contract: who may do more, or
less, than it says, for every role of every team, the platform's people and
whoever else there is; who holds power over the cluster; what is owned by nobody;
and whether roles, policies, projects and spaces are what was compiled.

Each finding names the binding and the rule that cause it, and the smallest change
that mends it. Nothing is written, and no Secret is read.

The cluster is asked, as you. With -f the files of "kubectl get -o yaml" are read in
its place. With --probe requests are made as each of these people too, which takes
the right to impersonate: dry runs and reads of objects that are not there.

Exit codes: 0 it agrees (notes do not count), 1 it does not, 2 it could not tell:
something could not be read, which is named.`,
		Example: fmt.Sprintf(`  %[1]s contract verify
  %[1]s contract verify --team payments
  %[1]s contract verify -o sarif > contract.sarif
  %[1]s contract verify -f dump/`, f.Program),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return runVerify(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.Files, "filename", "f", nil, "file or folder to read in the place of a cluster, - for the standard input")
	flags.BoolVarP(&o.Recursive, "recursive", "R", false, "with -f: folders with all below them")
	flags.StringVar(&o.Team, "team", "", "look at the people and the space of one team; what is the whole cluster's is looked at all the same")
	flags.BoolVar(&o.Probe, "probe", false, "make requests as each of these people too, none of which writes")
	flags.StringVarP(&o.Output, "output", "o", "text", strings.Join(verifyOutputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(verifyOutputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func (o *VerifyOptions) check() error {
	switch {
	case !slices.Contains(verifyOutputs, o.Output):
		return fmt.Errorf("there is no output %q: take one of %s", o.Output, strings.Join(verifyOutputs, ", "))
	case o.Probe && len(o.Files) > 0:
		return errors.New("--probe asks a cluster, and -f reads files: give one of them")
	case o.Recursive && len(o.Files) == 0:
		return errors.New("--recursive belongs to -f")
	}
	return nil
}

func runVerify(ctx context.Context, o *VerifyOptions) error {
	set, q, err := o.read(ctx)
	if err != nil {
		return err
	}
	if o.Team != "" && !verify.HasTeam(set, o.Team) {
		return o.noTeam(set)
	}
	found := verify.Check(set, q)
	if err := o.print(found); err != nil {
		return err
	}
	switch {
	case found.Found():
		return exit.ErrFound
	case len(found.Unread) > 0:
		return exit.Failed("it could not be told whether the cluster agrees: "+plain.Line(unread(found)),
			"ask for these rights, or have somebody run this who holds them")
	}
	return nil
}

// noTeam says whether there is no such Tenant, or none could be read.
func (o *VerifyOptions) noTeam(set *snapshot.Set) error {
	if u, missed := verify.TenantsUnread(set); missed {
		return exit.Failed("it could not be read whether there is a Tenant "+strconv.Quote(o.Team)+": "+plain.Line(u.String()), "ask for that right, or have somebody run this who holds it")
	}
	if len(o.Files) > 0 {
		return exit.Failed("there is no Tenant "+strconv.Quote(o.Team)+" in the files", "give what kubectl get tenants -o yaml prints with -f too")
	}
	return exit.Failed("there is no Tenant "+strconv.Quote(o.Team), "kubectl get tenants lists them")
}

func unread(r verify.Report) string {
	const shown = 5
	parts := together(r.Unread)
	if more := len(parts) - shown; more > 0 {
		parts = append(parts[:shown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// together names once what was not read for the same reason.
func together(list []snapshot.Unread) (lines []string) {
	var reasons []string
	by := map[string][]snapshot.Unread{}
	for _, u := range list {
		if by[u.Why] == nil {
			reasons = append(reasons, u.Why)
		}
		by[u.Why] = append(by[u.Why], u)
	}
	for _, why := range reasons {
		same := by[why]
		if why == "" || len(same) == 1 {
			for _, u := range same {
				lines = append(lines, u.String())
			}
			continue
		}
		var kinds []string
		for _, u := range same {
			kinds = append(kinds, strings.TrimSuffix(u.Resource+"."+u.Group, "."))
		}
		lines = append(lines, strings.Join(kinds, ", ")+": "+why)
	}
	return lines
}

func (o *VerifyOptions) read(ctx context.Context) (*snapshot.Set, verify.Question, error) {
	q := verify.Question{Team: o.Team, Files: len(o.Files) > 0}
	if q.Files {
		set, err := o.files()
		return set, q, err
	}
	c, err := o.Client()
	if err != nil {
		return nil, q, err
	}
	d, err := o.Discovery()
	if err != nil {
		return nil, q, err
	}
	cluster := survey.Cluster{Client: c, Discovery: d}
	set, kinds, err := cluster.Verify(ctx, o.Clock.Now())
	if err != nil {
		return nil, q, exit.Unreadable(err, "compare the cluster with the contract")
	}
	q.Kinds = kinds
	if o.Probe {
		if q.Probed, err = o.probe(ctx, set, q); err != nil {
			return nil, q, exit.Unreadable(err, "make requests as others")
		}
	}
	return set, q, nil
}

func (o *VerifyOptions) files() (*snapshot.Set, error) {
	set := &snapshot.Set{At: o.Clock.Now()}
	docs, err := manifest.Read(o.Files, o.IO.In, o.Recursive)
	if err != nil {
		return nil, exit.Failed(err.Error(), "give files as kubectl get -o yaml writes them")
	}
	for _, d := range docs {
		read := &unstructured.Unstructured{}
		if err := read.UnmarshalJSON(d.JSON); err != nil {
			return nil, exit.Failed(d.Errorf("", "it cannot be read: %v", err).Error(), "")
		}
		set.Add(read)
	}
	return set, nil
}

func (o *VerifyOptions) print(found verify.Report) error {
	switch o.Output {
	case "text":
		return unwritten(o.text(found))
	case "sarif":
		run := report.Run{Tool: "demarc", Version: version.Number, Findings: found.Findings}
		for _, c := range verify.Checks {
			run.Rules = append(run.Rules, report.Rule{ID: c.ID, Title: c.Title, Means: c.Means, Docs: verify.Docs(c.ID)})
		}
		for _, u := range found.Unread {
			run.Unread = append(run.Unread, u.String())
		}
		return forms.Write(o.IO.Out, "json", report.SARIF(run))
	default:
		return forms.Write(o.IO.Out, o.Output, found)
	}
}

func (o *VerifyOptions) text(found verify.Report) error {
	if err := report.Text(o.IO.Out, found.Findings, o.IO.Paint); err != nil {
		return err
	}
	for _, line := range together(found.Unread) {
		if _, err := fmt.Fprintln(o.IO.Out, "not read: "+plain.Line(line)); err != nil {
			return err
		}
	}
	far := ""
	if len(found.Unread) > 0 {
		far = ", as far as could be read"
	}
	probed := ""
	if found.Probed > 0 {
		probed = fmt.Sprintf("; %d requests made", found.Probed)
	}
	_, err := fmt.Fprintf(o.IO.Out, "%s. Compared with %s: %d cells of %s, of which %d differ%s%s.\n", report.Summary(found.Findings), plain.Line(found.Contract),
		found.Cells, many(len(found.Personas), "persona"), found.Differ, far, probed)
	return err
}
