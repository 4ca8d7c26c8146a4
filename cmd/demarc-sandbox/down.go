package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/sandbox"
)

func newDown(name *string) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "End every process of a sandbox and remove its folder",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := sandbox.Down(cmd.Context(), *name, keep); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "sandbox %q is down\n", *name)
			return nil
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the folder, so that up goes on with its data")
	return cmd
}
