// Package render is the verb render: what a Tenant and its claims become, without
// a cluster.
package render

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/render"
)

// Options of the verb.
type Options struct {
	IO            factory.IO
	Program       string
	Files         []string
	Recursive     bool
	Impersonation bool
	// Delivered prints what claims bring instead of their Applications; Chart is the
	// folder of the chart for it, empty for the one that comes with this program.
	Delivered bool
	Chart     string
}

// NewCmdRender wires the verb; runF replaces what it does, in tests.
func NewCmdRender(f *factory.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program}
	cmd := &cobra.Command{
		Use:   "render -f FILE|FOLDER|-",
		Short: "Print the objects that Tenants and claims become, without a cluster",
		Long: `Print, as YAML, the objects that Demarc makes of Tenants and ServiceClaims. No
cluster is asked.

The settings are those of the Platform among the files; without one its defaults
hold, and a claim with an image cannot be rendered: the Platform says where the
chart is. Objects of other kinds are passed over. The output is sorted, so that
the order of the files makes no difference.

With --delivered a claim with an image is what Argo CD makes of it: the chart that
comes with this program is rendered by Helm's engine, or the one of --chart where
the platform has its own. A claim with a source stays an Application: its manifests
lie in its repository.

What only a cluster knows is left out: the owner's UID, and the hash by which the
operator knows what it applied last. Each kind's own rules are asked, as the API
server asks them; policies are not: kubectl apply --dry-run=server, and for the
guardrails demarc check, do that. What cannot be rendered is an error with file,
document and line: a field that does not exist, a rule that is broken, a host that
another claim among the files has. What looks like a secret in a
claim is warned of, and the exit code is 1: a cluster refuses it.`,
		Example: fmt.Sprintf(`  %[1]s render -f platform.yaml -f team.yaml
  kubectl get platform default -o yaml | %[1]s render -f team.yaml -f -
  kustomize build teams | %[1]s render -f -
  %[1]s render -f claim.yaml --delivered`, f.Program),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(o.Files) == 0 {
				return exit.Usage(cmd.CommandPath(), fmt.Errorf("name a file with -f"))
			}
			o.Delivered = o.Delivered || o.Chart != ""
			if runF != nil {
				return runF(o)
			}
			return run(o)
		},
	}
	cmd.Flags().BoolVar(&o.Delivered, "delivered", false, "print what claims become in their namespaces instead of their Applications")
	cmd.Flags().StringVar(&o.Chart, "chart", "", "folder of the platform's own chart, for --delivered")
	cmd.Flags().StringArrayVarP(&o.Files, "filename", "f", nil, "file, folder, or - for the standard input; may be given several times")
	cmd.Flags().BoolVarP(&o.Recursive, "recursive", "R", false, "read the folders in a folder too")
	cmd.Flags().BoolVar(&o.Impersonation, "impersonation", true,
		"Argo CD syncs as the team's account (application.sync.impersonation.enabled in argocd-cm)")
	return cmd
}

func run(o *Options) error {
	docs, unread := manifest.Read(o.Files, o.IO.In, o.Recursive)
	set, err := collect(docs)
	if unread == nil && err == nil && set.empty() {
		err = errors.New("there is no Tenant and no ServiceClaim in what was read")
	}
	if err := errors.Join(unread, err); err != nil {
		return exit.Failed(err.Error(), "")
	}
	if note := set.skipped.note(); note != "" {
		fmt.Fprintln(o.IO.ErrOut, "note: "+plain.Line(note))
	}
	objects, err := set.render(o)
	if err != nil {
		return exit.Failed(err.Error(), set.next)
	}
	for _, object := range objects {
		if err := write(o, object); err != nil {
			return err
		}
	}
	return set.secrets(o)
}

func write(o *Options, object render.Object) error {
	raw, err := yaml.Marshal(object.Object)
	if err != nil {
		return fmt.Errorf("write %s %s as YAML: %w", object.GetKind(), object.GetName(), err)
	}
	if _, err := fmt.Fprintf(o.IO.Out, "---\n%s", o.IO.Data(string(raw))); err != nil {
		return exit.Failed("cannot write the output: "+err.Error(), "")
	}
	return nil
}
