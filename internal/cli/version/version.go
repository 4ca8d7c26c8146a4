// Package version is the verb version.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/internal/cli/factory"
)

// Number of this release; Chart.yaml and the Makefile carry the same.
const Number = "0.1.0"

// Options of the verb.
type Options struct {
	IO factory.IO
}

// NewCmdVersion wires the verb; runF replaces what it does, in tests.
func NewCmdVersion(f *factory.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{IO: f.IO}
	return &cobra.Command{
		Use:               "version",
		Short:             "Say which version this is",
		Example:           "  " + f.Program + " version",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if runF != nil {
				return runF(o)
			}
			return run(o)
		},
	}
}

func run(o *Options) error {
	fmt.Fprintf(o.IO.Out, "demarc %s%s, %s\n", Number, commit(), runtime.Version())
	return nil
}

// commit is the one that the program was built from, where Go knows it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var revision, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ", with changes"
		}
	}
	if revision == "" {
		return ""
	}
	return " (commit " + revision[:min(len(revision), 12)] + dirty + ")"
}
