// Package history is the verb history: the revisions of a claim, their images, when they
// came and by whom.
package history

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/table"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/history"
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

	Name   string
	Output string
}

// outputs are the forms of the answer.
var outputs = []string{"table", "json", "yaml"}

// NewCmdHistory wires the verb; runF replaces what it does, in tests.
func NewCmdHistory(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Discovery: f.Discovery}
	cmd := &cobra.Command{
		Use:   "history CLAIM",
		Short: "List the revisions of a claim: images, when they came, and by whom",
		Long: `List the revisions of a claim that the cluster still keeps, newest first: each with its
image, when it came, who brought it as far as that is known, and what of its pods differs
from now beside the image. They are read of the ReplicaSets, or of a StatefulSet's
revisions, and of Argo CD's history; a job's are Argo CD's alone.

Who set the image that is asked for now is read of the claim. Of earlier images the claim
keeps nothing, so they name who had them delivered.

Exit codes: 0 listed, 1 there is no such claim, 2 it could not be read.`,
		Example: fmt.Sprintf(`  %[1]s history web
  %[1]s history web -o json`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.Names(f, target.Claim),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(outputs, o.Output) {
				return exit.Failed(fmt.Sprintf("there is no output %q", o.Output), "take one of "+strings.Join(outputs, ", "))
			}
			name, err := Claim(args[0])
			if err != nil {
				return err
			}
			o.Name = name
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "table", strings.Join(outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

// Claim reads CLAIM, or claim/CLAIM.
func Claim(arg string) (string, error) {
	if !strings.Contains(arg, "/") {
		return arg, target.Named(arg)
	}
	kind, name, err := target.Parse([]string{arg})
	if err == nil && kind.Name != target.Claim.Name {
		err = exit.Failed("only a claim has revisions", "name it as claim/NAME")
	}
	return name, err
}

// Absent says that there is no such claim, or that it could not be seen whether there is.
func Absent(set *snapshot.Set, name, program string) error {
	kind := schema.GroupKind{Group: v1alpha1.GroupName, Kind: target.Claim.Name}
	if u, missed := set.Missed(kind, "", name); missed {
		return exit.Failed("cannot read claim "+name+": "+history.Because(u), "kubectl auth whoami says who you are")
	}
	if !set.Serves(kind) {
		return exit.Failed("the cluster does not know claims", "see whether Demarc is installed there: kubectl get crd serviceclaims.demarc.dev")
	}
	return exit.Refused("there is no claim "+name, program+" get shows yours")
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
	set, err := survey.Cluster{Client: c, Discovery: d}.History(ctx, o.Name, o.Clock.Now())
	if err != nil {
		return exit.Unreadable(err, "read the claim's revisions")
	}
	a, ok := history.Of(set, o.Name)
	if !ok {
		return Absent(set, o.Name, o.Program)
	}
	if o.Output != "table" {
		return document.Write(o.IO.Out, o.Output, a)
	}
	return o.print(a)
}

// print writes the table: of a claim with a source that of Argo CD's deliveries.
func (o *Options) print(a history.Answer) error {
	t := table.Table{Head: []string{"REVISION", "IMAGE", "PODS", "AGE", "BY", "DIFFERS"}}
	for _, r := range a.Revisions {
		number := strconv.FormatInt(r.Number, 10)
		if r.Current {
			number += " *"
		}
		differs := strings.Join(r.Differs, ", ")
		t.Rows = append(t.Rows, []string{number, r.Image, strconv.Itoa(int(r.Pods)), o.age(r.At), unknown(r.By), differs})
	}
	if len(a.Revisions) == 0 && len(a.Deliveries) > 0 {
		t.Head = []string{"DELIVERY", "REVISION", "AGE", "BY"}
		for _, d := range a.Deliveries {
			t.Rows = append(t.Rows, []string{strconv.FormatInt(d.ID, 10), d.Git, o.age(d.At), unknown(d.By)})
		}
	}
	if len(t.Rows) > 0 {
		if err := t.Write(o.IO.Out); err != nil {
			return err
		}
	}
	for _, n := range a.Notes {
		fmt.Fprintln(o.IO.ErrOut, "note: "+plain.Line(n))
	}
	return nil
}

func (o *Options) age(at *time.Time) string {
	if at == nil {
		return unknown("")
	}
	return duration.HumanDuration(o.Clock.Now().Sub(*at))
}

func unknown(text string) string {
	if text == "" {
		return "not known"
	}
	return text
}
