package main

import (
	"errors"
	"io"
	"os"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"demarc.dev/demarc/sandbox/demo"
	"demarc.dev/demarc/sandbox/programs"
)

func newDemo(name *string) *cobra.Command {
	var o demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Install Demarc in a sandbox, or in a cluster of yours, and show two teams on their way to Ready",
		Long: `Demo brings a sandbox up, installs Demarc from this checkout, applies examples/ and shows each object's way to Ready.
Exit 0: all is Ready; 1: something was not in time; 2: it could not be done. A second run changes nothing.

With --kubeconfig it does the same in a cluster that you have. Argo CD must be installed there, and be able to read the service
chart from the repository named by --chart-repo; the operator runs on this machine, with a token of its ServiceAccount.
The variable KUBECONFIG is not looked at: no cluster is changed that was not named for it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Root, err = programs.Source(); err != nil {
				return err
			}
			if o.Kubeconfig == "" || cmd.Flags().Changed("name") {
				o.Name = *name
			}
			log.SetLogger(logr.Discard()) // clients complain where none is set
			o.Out, o.Colour = cmd.OutOrStdout(), colourful(cmd.OutOrStdout())
			if err = demo.Run(cmd.Context(), o); errors.Is(err, demo.ErrNotReady) {
				return errDown
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.Kubeconfig, "kubeconfig", "", "of a cluster with Argo CD; without it a sandbox is brought up")
	cmd.Flags().StringVar(&o.ChartRepo, "chart-repo", os.Getenv("CHART_REPO"), "Git repository with charts/service")
	cmd.Flags().StringVar(&o.ChartRevision, "chart-revision", os.Getenv("CHART_REVISION"), "tag or commit in it")
	return cmd
}

// colourful tells whether colours are welcome.
func colourful(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
