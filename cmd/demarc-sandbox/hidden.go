package main

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/sandbox/redis"
	"demarc.dev/demarc/sandbox/supervisor"
)

// newSupervise is what up starts in the background.
func newSupervise() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:    "supervise",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(os.Stderr, nil))
			return supervisor.Supervise(cmd.Context(), dir, log)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder of the sandbox")
	return cmd
}

// newRedis is the component of that name.
func newRedis() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:    "redis",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return redis.Serve(cmd.Context(), listen, os.Getenv("REDIS_PASSWORD"))
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address")
	return cmd
}
