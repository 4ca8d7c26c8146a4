// Command demarc-operator keeps Tenants and ServiceClaims.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	"log/slog"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"demarc.dev/demarc/internal/diagnosis/runner"
	"demarc.dev/demarc/internal/operator"
)

func main() {
	if err := command().ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "demarc-operator:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var o operator.Options
	var verbose bool
	cmd := &cobra.Command{
		Use:           "demarc-operator",
		Short:         "Keeps Tenants and ServiceClaims",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			logTo(verbose)
			if err := limitMemory(os.Getenv); err != nil {
				return err
			}
			restConfig, err := config.GetConfig()
			if err != nil {
				return fmt.Errorf("find the cluster: %w (set KUBECONFIG, or run inside a cluster)", err)
			}
			restConfig.QPS, restConfig.Burst = -1, 0 // the API server's own fairness limits us
			mgr, err := operator.New(restConfig, o)
			if err != nil {
				return err
			}
			return mgr.Start(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.MetricsAddress, "metrics-bind-address", ":8080", "address that serves Prometheus metrics; 0 serves none")
	flags.StringVar(&o.ProbeAddress, "health-probe-bind-address", ":8081", "address that serves /healthz and /readyz; 0 serves none")
	flags.BoolVar(&o.LeaderElection, "leader-elect", true, "let only one of several operators work")
	flags.StringVar(&o.Namespace, "namespace", os.Getenv("POD_NAMESPACE"), "namespace of the leader election's Lease")
	flags.DurationVar(&o.TriageInterval, "triage-interval", runner.DefaultInterval, "how often triage looks at the cluster while no claim is in trouble")
	flags.BoolVar(&verbose, "verbose", false, "log every reconcile")
	return cmd
}

// logTo sends all logs, Kubernetes' own included, to one structured handler.
func logTo(verbose bool) {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	logger := logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
}

// limitMemory has Go's runtime keep within nine tenths of the container's limit, which
// MEMORY_LIMIT gives in bytes. GOMEMLIMIT, which the runtime reads itself, goes before.
func limitMemory(env func(string) string) error {
	given := env("MEMORY_LIMIT")
	if given == "" || env("GOMEMLIMIT") != "" {
		return nil
	}
	limit, err := strconv.ParseInt(given, 10, 64)
	if err != nil || limit <= 0 {
		return fmt.Errorf("MEMORY_LIMIT is %q: give the container's memory limit in bytes", given)
	}
	debug.SetMemoryLimit(limit / 10 * 9)
	return nil
}
