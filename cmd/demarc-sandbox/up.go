package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/sandbox"
)

func newUp(name *string) *cobra.Command {
	var o sandbox.Options
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a sandbox, or check one that runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Name, o.Out = *name, cmd.ErrOrStderr()
			if dryRun {
				return printPlan(cmd.Context(), cmd.OutOrStdout(), o)
			}
			s, err := sandbox.Up(cmd.Context(), o)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "export PATH=%q:\"$PATH\" KUBECONFIG=%q\n", s.BinDir(), s.Kubeconfig())
			return nil
		},
	}
	cmd.Flags().IntVar(&o.Nodes, "nodes", 3, "number of simulated nodes")
	cmd.Flags().BoolVar(&o.WithoutArgoCD, "without-argocd", false, "leave Argo CD out")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the processes and start nothing")
	return cmd
}

func printPlan(ctx context.Context, out io.Writer, o sandbox.Options) error {
	plan, err := sandbox.DryRun(ctx, o)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, plan)
	return err
}
