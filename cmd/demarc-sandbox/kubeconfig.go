package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/sandbox"
)

func newKubeconfig(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the path of the administrator's kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := sandbox.Open(*name)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), s.Kubeconfig())
			return nil
		},
	}
}
