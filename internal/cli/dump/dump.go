// Package dump is the verb dump: it writes what triage looks at into files, without secrets.
package dump

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/scope"
	"demarc.dev/demarc/internal/cli/version"
	"demarc.dev/demarc/internal/dump"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Program   string
	Clock     clock.PassiveClock
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	Scope     scope.Flags
	Out       string
	Overwrite bool
}

// NewCmdDump wires the verb; runF replaces what it does, in tests.
func NewCmdDump(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "dump --out DIR|FILE",
		Short: "Write what triage looks at into files, without secrets",
		Long: `Write the objects that triage looks at into a folder, or into one file where its
name ends in .json or .yaml, so that somebody else can ask the same: triage -f finds
in it what it finds on the cluster.

Without a flag it writes your teams' namespaces, or all where you may list all pods.
With --team and -n nothing is written that lives in other namespaces; what the
cluster has is (nodes, classes, claims), as far as you may read it.

Left out are the content of Secrets, what was applied last, and what looks like a
secret in variables, commands, annotations and messages, by the list that guards
claims. Read it before you give it away: no list knows all secrets.

It is there as a whole, or not at all.

Exit codes: 0 it is written, 1 something is there already, 2 it could not be read or
written. What could not be read is named, and in the dump.`,
		Example: fmt.Sprintf(`  %[1]s dump --all --out cluster.dump
  %[1]s dump --team payments --out payments.json
  %[1]s triage -f payments.json`, f.Program),
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
	flags.StringVar(&o.Out, "out", "", "folder to write, or a file where it ends in .json, .yaml or .yml")
	flags.BoolVar(&o.Overwrite, "overwrite", false, "write over a file that is there")
	return cmd
}

func (o *Options) check() error {
	switch {
	case o.Out == "":
		return errors.New("--out is needed: a folder, or a file")
	case o.Overwrite && !dump.IsFile(o.Out):
		return errors.New("--overwrite is for a file: name a folder that is not there, or is empty")
	}
	return o.Scope.Check()
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
	namespaces, err := o.Scope.Of(ctx, c)
	if err != nil {
		return err
	}
	set, err := survey.Cluster{Client: c, Discovery: d}.Triage(ctx, o.Clock.Now(), survey.Triaged{Namespaces: namespaces, Alone: true, Trim: trim})
	if err != nil {
		return exit.Unreadable(err, "read what there is")
	}
	if err := o.Scope.There(set, false); err != nil {
		return err
	}
	write := dump.Write{Out: o.Out, By: "demarc " + version.Number, Namespaces: namespaces, Overwrite: o.Overwrite}
	written, err := write.Do(ctx, set)
	switch {
	case errors.Is(err, dump.ErrThere) && dump.IsFile(o.Out):
		return exit.Refused(plain.Line(o.Out)+" is there already and was left as it is", "name another file, or give --overwrite")
	case errors.Is(err, dump.ErrThere):
		return exit.Refused(plain.Line(o.Out)+" is there already and was left as it is", "name a folder that is not there, or is empty")
	case errors.Is(err, context.Canceled):
		return err
	case err != nil:
		return exit.Failed("cannot write "+plain.Line(o.Out)+": "+err.Error(), "")
	}
	unread := slices.DeleteFunc(set.Unread(), snapshot.Unread.NotAsked)
	for _, line := range scope.NotRead(unread) {
		fmt.Fprintln(o.IO.ErrOut, "not read: "+plain.Line(line))
	}
	fmt.Fprintf(o.IO.Out, "wrote %d objects of %s to %s%s\n", written.Objects, plain.Line(scope.Words(namespaces)), plain.Line(o.Out), left(written.LeftOut))
	return nil
}

// trim leaves out the schemas of kinds, which are most of what a cluster without services has.
func trim(o snapshot.Object) {
	if o.GetKind() != "CustomResourceDefinition" {
		return
	}
	versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
	for _, v := range versions {
		if version, ok := v.(map[string]any); ok {
			delete(version, "schema")
		}
	}
	if len(versions) > 0 {
		_ = unstructured.SetNestedSlice(o.Object, versions, "spec", "versions") // spec is there
	}
}

// left says what was left out.
func left(by map[string]int) string {
	if len(by) == 0 {
		return ""
	}
	var parts []string
	for _, rule := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%d by %s", by[rule], rule))
	}
	return fmt.Sprintf("; left out, since it looks like a secret: %s", strings.Join(parts, ", "))
}
