// Package explain is the verb explain: why something is as it is, and what to do.
package explain

import (
	"context"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/internal/cli/factory"
)

// NewCmdExplain wires the verb; runF replaces what it does, in tests.
func NewCmdExplain(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Explain what holds a deletion, and what to do about it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCmdDelete(f, runF))
	return cmd
}
