// Package test is the verb test: whether policies of users' own do what their tests expect.
package test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"demarc.dev/demarc/internal/check/cases"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/guardrail/offline"
	policies "demarc.dev/demarc/internal/manifest"
)

// Options of the verb.
type Options struct {
	IO        factory.IO
	Clock     clock.PassiveClock
	Paths     []string
	Recursive bool
	Strict    bool
	Output    string
}

// suffix of the files that hold cases.
const suffix = ".test.yaml"

// NewCmdTest wires the verb; runF replaces what it does, in tests.
func NewCmdTest(f *factory.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Clock: f.Clock}
	cmd := &cobra.Command{
		Use:   "test FOLDER...",
		Short: "Say whether rules of your own do what their tests expect",
		Long: `Say whether ValidatingAdmissionPolicies of your own do what their tests expect. No
cluster is asked: they are evaluated by the API server's own code.

A folder holds policies, with or without bindings, what they take as parameters, and
files *.test.yaml with cases: a request, and what each policy is to say of it. A policy
without a binding is bound to everything, to refuse.

Exit codes: 0 all is as expected (with --strict: and every policy is seen to refuse
something and to let something pass), 1 it is not, 2 it could not tell.`,
		Example: fmt.Sprintf(`  %[1]s test rules/
  %[1]s check deploy.yaml --rules rules/`, f.Program),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Paths = args
			if !slices.Contains(document.Outputs, o.Output) {
				return exit.Usage(cmd.CommandPath(), fmt.Errorf("there is no output %q: take one of %s", o.Output, strings.Join(document.Outputs, ", ")))
			}
			if runF != nil {
				return runF(o)
			}
			return run(o)
		},
	}
	cmd.Flags().BoolVarP(&o.Recursive, "recursive", "R", false, "folders with all below them")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "end with 1 where a policy is not seen to refuse something, or to let something pass")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "text", strings.Join(document.Outputs, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", complete.Words(document.Outputs...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func run(o *Options) error {
	source, list, err := o.read()
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	report, err := cases.Run(source, list, o.Clock.Now())
	if err != nil {
		return exit.Failed(err.Error(), "mend the policy: a cluster would not take it either")
	}
	if err := o.print(report); err != nil {
		return err
	}
	if report.Failed() > 0 || o.Strict && len(report.Unproven) > 0 {
		return exit.ErrFound
	}
	return nil
}

// read parts the files into policies and cases.
func (o *Options) read() (offline.Source, []cases.Case, error) {
	files, err := manifest.Files(o.Paths, o.IO.In, o.Recursive)
	errs := []error{err}
	var docs []policies.Doc
	var list []cases.Case
	for _, f := range files {
		if strings.HasSuffix(f.Name, suffix) {
			more, err := cases.Parse(f.Name, f.Text)
			list, errs = append(list, more...), append(errs, err)
			continue
		}
		more, err := policies.Parse(f.Name, f.Text)
		docs, errs = append(docs, more...), append(errs, err)
	}
	source, err := offline.Read(docs)
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return source, nil, err
	}
	switch {
	case len(source.Policies) == 0:
		return source, nil, errors.New("there is no ValidatingAdmissionPolicy in what was read")
	case len(list) == 0:
		return source, nil, errors.New("there is no case in what was read: cases stand in files named *" + suffix)
	}
	return source, list, nil
}

func (o *Options) print(r cases.Report) error {
	if o.Output != "text" {
		return document.Write(o.IO.Out, o.Output, r)
	}
	var b strings.Builder
	for _, one := range r.Results {
		for _, wrong := range one.Wrong {
			fmt.Fprintf(&b, "%s:%d: %s %s: %s\n", plain.Line(one.File), one.Line, o.IO.Paint(factory.Bad, "FAIL"), plain.Line(one.Name), plain.Line(wrong))
		}
	}
	for _, u := range r.Unproven {
		fmt.Fprintln(&b, "unproven: "+plain.Line(u))
	}
	fmt.Fprintf(&b, "%d of %d cases are as expected.\n", len(r.Results)-r.Failed(), len(r.Results))
	if _, err := fmt.Fprint(o.IO.Out, b.String()); err != nil {
		return exit.Failed("cannot write the output: "+err.Error(), "")
	}
	return nil
}
