package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	forms "demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/report"
)

// LintOptions of the verb.
type LintOptions struct {
	IO        factory.IO
	Files     []string
	Recursive bool
	Strict    bool
	Output    string
}

func newCmdLint(f *factory.Factory, runF func(*LintOptions) error) *cobra.Command {
	o := &LintOptions{IO: f.IO}
	cmd := &cobra.Command{
		Use:   "lint FILE|FOLDER|-...",
		Short: "Say what is wrong with an ownership contract, line by line",
		Long: `Say what is wrong with an ownership contract: file, line, what it is and what to
do. No cluster is asked.

Of the files the OwnershipContract, the Platform and the Tenants are read; the
last two say who is behind the answers platform and team, and are judged only
where they are given. Without an OwnershipContract the one that comes with Demarc
is checked against them.

A party with nobody behind it is refused, and the last line tells that apart: the
operator takes such a contract, and render makes files of it. On a fresh install
nobody is named yet.

Exit codes: 0 it can be taken; 1 something is refused (with --strict: or warned
of); 2 it could not tell: a file cannot be read, or none holds any of these kinds.`,
		Example: fmt.Sprintf(`  %[1]s contract lint contract.yaml
  %[1]s contract lint contract.yaml platform.yaml tenants/ -o json
  kubectl get ownershipcontracts,platforms,tenants -o yaml | %[1]s contract lint -`, f.Program),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
			if !slices.Contains(verifyOutputs, o.Output) {
				return exit.Usage(cmd.CommandPath(), fmt.Errorf("there is no output %q: take one of %s", o.Output, strings.Join(verifyOutputs, ", ")))
			}
			if runF != nil {
				return runF(o)
			}
			return lint(o)
		},
	}
	cmd.Flags().BoolVarP(&o.Recursive, "recursive", "R", false, "read the folders in a folder too")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "end with 1 where something is warned of, too")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "text", strings.Join(verifyOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(verifyOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func lint(o *LintOptions) error {
	files, found, err := read(o.IO, o.Files, o.Recursive)
	if err != nil {
		return err
	}
	if files.Nothing(found) {
		return nothing(found)
	}
	if err := o.print(files, found); err != nil {
		return err
	}
	counts := func(p contract.Problem) bool {
		return p.Severity == contract.Refused || o.Strict && p.Severity == contract.Warning
	}
	if slices.ContainsFunc(found, counts) {
		return exit.ErrFound
	}
	return nil
}

func (o *LintOptions) print(files contract.Files, found []contract.Problem) error {
	switch o.Output {
	case "sarif":
		return forms.Write(o.IO.Out, "json", report.SARIF(sarif(found)))
	case "json", "yaml":
		return forms.Write(o.IO.Out, o.Output, struct {
			Sound    bool               `json:"sound"`
			Taken    bool               `json:"taken"`
			Problems []contract.Problem `json:"problems"`
		}{contract.Sound(found), contract.Taken(found), append([]contract.Problem{}, found...)})
	}
	if files.Contract == nil && contract.Taken(found) {
		fmt.Fprintln(o.IO.ErrOut, "note: there is no OwnershipContract among the files: the one that comes with Demarc is checked")
	}
	for _, p := range found {
		if _, err := fmt.Fprintln(o.IO.Out, plain.Line(p.String())); err != nil {
			return unwritten(err)
		}
	}
	_, err := fmt.Fprintln(o.IO.Out, summary(found))
	return unwritten(err)
}

func unwritten(err error) error {
	if err == nil {
		return nil
	}
	return exit.Failed("cannot write the output: "+err.Error(), "")
}
