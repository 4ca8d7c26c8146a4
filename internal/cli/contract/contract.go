// Package contract is the verb contract: whether the ownership contract is sound, what is
// compiled from it, and whether a cluster agrees with it.
package contract

import (
	"fmt"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/contract"
)

// NewCmdContract wires the verb and those below it.
func NewCmdContract(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Check the ownership contract, print what is compiled from it, compare a cluster with it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCmdLint(f, nil), newCmdRender(f, nil), newCmdVerify(f, nil))
	return cmd
}

// read takes the contract and the parties from files.
func read(io factory.IO, paths []string, recursive bool) (contract.Files, []contract.Problem, error) {
	var all contract.Files
	var found []contract.Problem
	texts, err := manifest.Files(paths, io.In, recursive)
	if err != nil {
		return all, nil, exit.Failed(err.Error(), "")
	}
	for _, t := range texts {
		files, problems := contract.Parse(t.Name, []byte(t.Text))
		found = append(found, problems...)
		found = append(found, all.Add(files)...)
	}
	return all, append(found, all.Lint()...), nil
}

// nothing says that nothing of these kinds was in the files, and what was.
func nothing(found []contract.Problem) error {
	said := "there is no OwnershipContract, no Platform and no Tenant in what was read"
	for _, p := range found {
		said += "\n" + plain.Line(p.String())
	}
	return exit.Failed(said, "name the file that holds the contract")
}

// summary counts what was found, and tells apart what the contract is refused for and who
// has nobody behind it.
func summary(found []contract.Problem) string {
	count := map[contract.Severity]int{}
	parties := 0
	for _, p := range found {
		if count[p.Severity]++; p.Severity == contract.Refused && p.Party {
			parties++
		}
	}
	refused := fmt.Sprintf("%d refused", count[contract.Refused])
	if parties > 0 {
		refused += fmt.Sprintf(" (%d of what is written, %d of who is behind it)", count[contract.Refused]-parties, parties)
	}
	line := fmt.Sprintf("%s, %s, %s", refused, many(count[contract.Warning], "warning"), many(count[contract.Note], "note"))
	if parties > 0 && contract.Taken(found) {
		line += "\nThe contract itself can be taken: what is missing is people, or a way to reach them, in the Platform and the Tenants."
	}
	return line
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
