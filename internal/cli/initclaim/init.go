// Package initclaim is the verb init: it writes a claim from flags, or from a few questions.
package initclaim

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/crd"
	"demarc.dev/demarc/internal/secretshape"
)

// Options of the verb.
type Options struct {
	IO      factory.IO
	Program string
	// Answers that were given by flags; the rest is asked for where somebody can answer.
	Answers
	Output    string
	Overwrite bool
	// given are the flags of Answers that were set, and so are not asked for.
	given map[string]bool
}

// NewCmdInit wires the verb; runF replaces what it does, in tests.
func NewCmdInit(f *factory.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, given: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Write a claim from flags, or from a few questions",
		Long: `Write a ServiceClaim to the standard output, or to a file. No cluster is asked.

On a terminal what no flag says is asked for; an empty answer takes what stands in
brackets. Without a terminal the name, --team and --image are needed. What comes of
it is held against the rules of the kind, as the API server holds it, and is written
only if it passes. See what it becomes with: demarc render --delivered -f FILE.`,
		Example: fmt.Sprintf(`  %[1]s init
  %[1]s init shop --team payments --image registry.example/shop:1.4.2 --port 8080 --replicas 2 -o shop.yaml
  %[1]s init shop --team payments --image registry.example/shop:1.4.2 --port 8080 --host shop.example --autoscale 2-6
  %[1]s init report --team payments --image registry.example/report:3 --kind cronjob --schedule '30 2 * * *'
  %[1]s init db --team payments --image postgres:18 --kind stateful --port 5432 --volume /var/lib/postgresql=10Gi`, f.Program),
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Name, o.given["name"] = args[0], true
			}
			cmd.Flags().Visit(func(f *pflag.Flag) { o.given[f.Name] = true })
			if runF != nil {
				return runF(o)
			}
			return run(cmd.CommandPath(), o)
		},
	}
	o.addFlags(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *Options) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Team, "team", "", "team that the service belongs to: the name of its Tenant")
	flags.StringVar(&o.Image, "image", "", "image that runs")
	flags.StringVar(&o.Kind, "kind", kinds[0], strings.Join(kinds, ", "))
	flags.Int32Var(&o.Port, "port", 0, "port that the container listens on; 0 is none")
	flags.Int32Var(&o.Replicas, "replicas", 1, "replicas that run")
	flags.StringVar(&o.Autoscale, "autoscale", "", "least and most replicas, such as 2-6, instead of --replicas")
	flags.StringVar(&o.Host, "host", "", "host under which it is reached from outside, or 'platform' for the one that the platform gives")
	flags.BoolVar(&o.TLS, "tls", false, "the host is served by https")
	flags.StringVar(&o.Schedule, "schedule", "", "when kind cronjob runs, such as '30 2 * * *'")
	flags.StringArrayVar(&o.Volumes, "volume", nil, "volume of kind stateful, as PATH=SIZE; may be given several times")
	flags.StringArrayVar(&o.Env, "env", nil, "variable, as NAME=VALUE; may be given several times")
	flags.StringArrayVar(&o.SecretEnv, "secret-env", nil, "variable from a Secret of the team, as NAME=SECRET/KEY; may be given several times")
	flags.StringVarP(&o.Output, "output", "o", "-", "file to write, or - for the standard output")
	flags.BoolVar(&o.Overwrite, "overwrite", false, "write over a file that is there")
}

func run(command string, o *Options) error {
	if o.IO.InTerminal {
		if err := o.ask(bufio.NewReader(o.IO.In)); err != nil {
			return err
		}
	} else if missing := o.missing(); len(missing) > 0 {
		return exit.Usage(command, fmt.Errorf("%s: there is no terminal to ask on", strings.Join(missing, ", ")))
	}
	claim, err := o.Claim()
	if err != nil {
		return exit.Usage(command, err)
	}
	text, err := written(claim)
	if err != nil {
		return err
	}
	if err := o.write(text); err != nil {
		return err
	}
	if len(secretshape.Find(claim)) > 0 {
		for _, f := range secretshape.Find(claim) {
			fmt.Fprintf(o.IO.ErrOut, "warning: %s looks like a secret (%s), and a cluster refuses it\n", f.Path, f.Rule)
		}
		fmt.Fprintln(o.IO.ErrOut, "Next: put it into a Secret of the team and name that: --secret-env NAME=SECRET/KEY")
		return exit.ErrFound
	}
	return nil
}

// missing is what a claim cannot do without.
func (o *Options) missing() (flags []string) {
	for _, f := range []struct{ flag, value string }{{"name the claim", o.Name}, {"give --team", o.Team}, {"give --image", o.Image}} {
		if f.value == "" {
			flags = append(flags, f.flag)
		}
	}
	return flags
}

// written is the claim as text, if the rules of its kind let it through.
func written(claim *v1alpha1.ServiceClaim) (string, error) {
	raw, err := yaml.Marshal(claim)
	if err != nil {
		return "", fmt.Errorf("write the claim as YAML: %w", err)
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(raw, &u.Object); err != nil {
		return "", fmt.Errorf("read the claim again: %w", err)
	}
	unstructured.RemoveNestedField(u.Object, "status")
	found, err := crd.Create(u)
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		var said []string
		for _, f := range found {
			said = append(said, words(f))
		}
		return "", exit.Refused("this would be no valid claim:\n  "+strings.Join(said, "\n  "), "give other answers, or other flags")
	}
	return layOut(u)
}

func words(f *field.Error) string {
	if f.Type == field.ErrorTypeInvalid && f.Detail != "" {
		return f.Field + ": " + f.Detail
	}
	return f.Error()
}

// write leaves a file alone that is there.
func (o *Options) write(text string) error {
	if o.Output == "-" || o.Output == "" {
		if _, err := fmt.Fprint(o.IO.Out, o.IO.Data(text)); err != nil {
			return exit.Failed("cannot write the output: "+err.Error(), "")
		}
		return nil
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if o.Overwrite {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(o.Output, how, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return exit.Refused(o.Output+" is there already and was left as it is", "name another file, or give --overwrite")
	}
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return exit.Failed("cannot write "+o.Output+": "+err.Error(), "")
	}
	fmt.Fprintf(o.IO.ErrOut, "%s is written. Next: %s render --delivered -f %[1]s, or kubectl apply -f %[1]s\n", o.Output, o.Program)
	return nil
}
