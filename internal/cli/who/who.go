// Package who is the verb who: who owns an object, a field, a file or what an alert is
// about, who is behind that, and what who asks may do.
package who

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
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/who"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	// Word for the kind, and the name, as they were given.
	Word, Name string
	Namespace  string
	Field      string
	Alert      string
	Path       string
	Repository string
	Files      []string
	Recursive  bool
	Offline    bool
	Output     string
}

// NewCmdWho wires the verb; runF replaces what it does, in tests.
func NewCmdWho(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "who [KIND[/NAME] | KIND NAME]",
		Short: "Say who owns a thing, how it is changed, and what you may do with it",
		Long: `Say who creates, changes, approves, watches and deletes a thing, and who is paged
for it; who these are and where they are reached; on which way and in which
repository it is changed; who changed it last; and what you may do yourself.

Ask about an object, a kind (KIND alone), a field (--field), what an alert is about
(--alert, with the labels as Prometheus writes them), or a file in Git (--path, from
the top of its repository).

The cluster is asked, as you. With -f the files of "kubectl get -o yaml" are read in
its place, and with --offline nothing is: then the contract that comes with Demarc
answers, for kinds. It answers too where the cluster has no contract of its own, and
where you may not read that one, which is said on the standard error. A cluster that
cannot be reached is never answered for.

Exit codes: 0 answered, 1 there is no such object, no path of the contract covers the
file, or the file is of a team that is not there, 2 it could not be answered: among
others where files hold nothing of the kind, and where the contract that would answer
is one that the operator does not take. What an alert is about may be gone by now, so
that ends with 0. What you may not read is listed.`,
		Example: fmt.Sprintf(`  %[1]s who deployment/api -n team-payments
  %[1]s who deployment/api -n team-payments --field spec.replicas
  %[1]s who networkpolicy
  %[1]s who --alert '{alertname="KubePodCrashLooping",namespace="team-payments",pod="api-7d9f"}'
  %[1]s who --path payments/deployment.yaml --repository application
  %[1]s who pvc/data -n team-payments -f dump/ -o json`, f.Program),
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: complete.Targets(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(cmd.CommandPath(), args); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.flags(cmd)
	return cmd
}

func (o *Options) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the object, where it lives in one")
	flags.StringVar(&o.Field, "field", "", "field of the object, such as spec.replicas or spec.template.spec.containers[0].image")
	flags.StringVar(&o.Alert, "alert", "", "labels of an alert, as Prometheus writes them")
	flags.StringVar(&o.Path, "path", "", "file in Git, from the top of its repository")
	flags.StringVar(&o.Repository, "repository", "", "with --path: the repository, by its name in the contract or its URL")
	flags.StringArrayVarP(&o.Files, "filename", "f", nil, "file or folder to read in the place of a cluster, - for the standard input")
	flags.BoolVarP(&o.Recursive, "recursive", "R", false, "with -f: folders with all below them")
	flags.BoolVar(&o.Offline, "offline", false, "ask no cluster: the contract that comes with Demarc answers")
	flags.StringVarP(&o.Output, "output", "o", "text", strings.Join(document.Outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(document.Outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
}

// take reads the arguments.
func (o *Options) take(command string, args []string) error {
	asked := 0
	for _, given := range []bool{len(args) > 0, o.Alert != "", o.Path != ""} {
		if given {
			asked++
		}
	}
	if asked != 1 {
		return exit.Usage(command, errors.New("ask about one thing: KIND/NAME, --alert '{labels}' or --path FILE"))
	}
	if err := o.together(len(args) > 0); err != nil {
		return exit.Usage(command, err)
	}
	if !slices.Contains(document.Outputs, o.Output) {
		return exit.Failed(fmt.Sprintf("there is no output %q", o.Output), "take one of "+strings.Join(document.Outputs, ", "))
	}
	if len(args) == 0 {
		return nil
	}
	return o.takeObject(args)
}

// together refuses flags that do not go with what is asked about, or with each other.
func (o *Options) together(object bool) error {
	switch {
	case !object && o.Field != "":
		return errors.New("--field is of an object or a kind: name it, such as deployment/api")
	case !object && o.Namespace != "":
		return errors.New("--namespace belongs to an object or a kind")
	case o.Path == "" && o.Repository != "":
		return errors.New("--repository belongs to --path")
	case o.Offline && len(o.Files) > 0:
		return errors.New("--offline reads nothing, and -f reads files: give one of them")
	case o.Recursive && len(o.Files) == 0:
		return errors.New("--recursive belongs to -f")
	default:
		return nil
	}
}

func (o *Options) takeObject(args []string) error {
	word, name, slash := strings.Cut(args[0], "/")
	if len(args) == 2 {
		name = args[1]
	}
	if slash && (len(args) == 2 || name == "") || word == "" || strings.ContainsAny(word+name, "/ \t\n%") || len(args) == 2 && name == "" {
		return exit.Failed(fmt.Sprintf("%q does not name one object", strings.Join(args, " ")),
			"name it as KIND/NAME, such as deployment/api; KIND alone asks about the kind")
	}
	o.Word, o.Name = word, name
	if name != "" {
		if err := target.Named(name); err != nil {
			return err
		}
	}
	if o.Namespace != "" {
		return target.Space(o.Namespace)
	}
	return nil
}

func (o *Options) answer(ctx context.Context) (who.Answer, error) {
	q, err := o.question()
	if err != nil {
		return who.Answer{}, err
	}
	if o.Offline || len(o.Files) > 0 {
		return o.fromFiles(q)
	}
	return o.fromCluster(ctx, q)
}

// question is what can be told of it from the command line alone.
func (o *Options) question() (q who.Question, err error) {
	switch {
	case o.Alert != "":
		if q.Alert, err = who.ParseAlert(o.Alert); err == nil {
			err = who.CheckAlert(q.Alert)
		}
		if err != nil {
			return q, exit.Failed("--alert: "+err.Error(), `write the labels as Prometheus does: --alert '{alertname="X",namespace="team-payments"}'`)
		}
	case o.Path != "":
		path, err := who.ParsePath(o.Path)
		if err != nil {
			return q, exit.Failed("--path: "+err.Error(), "such as --path payments/deployment.yaml")
		}
		q.File = &who.File{Repository: o.Repository, Path: path, Holds: o.holds()}
	case o.Field != "":
		if q.Field, err = who.ParseField(o.Field); err != nil {
			return q, exit.Failed("--field: "+err.Error(), "such as --field spec.replicas or --field 'spec.template.spec.containers[0].image'")
		}
	}
	return q, nil
}
