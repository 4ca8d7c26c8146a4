package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/sandbox/programs"
)

func newBuild() *cobra.Command {
	var printBin bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build the pinned programs, once per machine",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := programs.Ensure(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			printBuilt(cmd.OutOrStdout(), set, printBin)
			return nil
		},
	}
	cmd.Flags().BoolVar(&printBin, "print-bin", false, "print the folder of the programs and nothing else")
	return cmd
}

func printBuilt(out io.Writer, set programs.Set, alone bool) {
	if alone {
		fmt.Fprintln(out, set.BinDir)
		return
	}
	fmt.Fprintf(out, "all programs are built: %s\n", set.BinDir)
}
