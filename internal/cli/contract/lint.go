package contract

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/contract"
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

Exit codes: 0 it can be taken; 1 something is refused (with --strict: or warned
of); 2 it could not tell: a file cannot be read, or holds none of these kinds.`,
		Example: fmt.Sprintf(`  %[1]s contract lint contract.yaml
  %[1]s contract lint contract.yaml platform.yaml tenants/ -o json
  kubectl get ownershipcontracts,platforms,tenants -o yaml | %[1]s contract lint -`, f.Program),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
			if o.Output != "" && o.Output != "json" {
				return exit.Usage(cmd.CommandPath(), fmt.Errorf("-o takes json, not %q", o.Output))
			}
			if runF != nil {
				return runF(o)
			}
			return lint(o)
		},
	}
	cmd.Flags().BoolVarP(&o.Recursive, "recursive", "R", false, "read the folders in a folder too")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "end with 1 where something is warned of, too")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "json, for programs")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func lint(o *LintOptions) error {
	files, found, err := read(o.IO, o.Files, o.Recursive)
	if err != nil {
		return err
	}
	if files.Empty() && contract.Sound(found) {
		return exit.Failed("there is no OwnershipContract, no Platform and no Tenant in what was read", "name the file that holds the contract")
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
	if o.Output == "json" {
		raw, err := json.MarshalIndent(struct {
			Sound    bool               `json:"sound"`
			Problems []contract.Problem `json:"problems"`
		}{contract.Sound(found), append([]contract.Problem{}, found...)}, "", "  ")
		if err != nil {
			return fmt.Errorf("write what was found as JSON: %w", err)
		}
		_, err = fmt.Fprintln(o.IO.Out, plain.JSON(string(raw)))
		return unwritten(err)
	}
	if files.Contract == nil && contract.Sound(found) {
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
