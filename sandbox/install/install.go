// Package install puts Demarc into a cluster the way the README says: its own Helm chart, its operator under its own
// ServiceAccount and no more than that account's rights, the paved-road chart in a Git repository, a Platform that names
// it. Only the operator's process is not a pod: it runs beside the cluster, supervised by the sandbox.
package install

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/sandbox"
)

// Namespace that Demarc is installed into.
const Namespace = "demarc-system"

// Options say what is installed where.
type Options struct {
	// Root is the checkout.
	Root string
	// ChartRepo is the repository of the paved-road chart; empty means one in the sandbox, filled from the checkout.
	ChartRepo string
	// ChartRevision is the tag or commit in ChartRepo; it goes with it.
	ChartRevision string
	// Team is who the platform's people are; nil leaves it to whoever set it.
	Team *v1alpha1.PlatformTeam
	// WithoutPlatform leaves the Platform object out.
	WithoutPlatform bool
	// Through is what the operator talks to in place of the API server, such as a proxy that makes requests fail; nil
	// means the API server itself.
	Through *Server
	// TriageInterval of the operator; zero is its default.
	TriageInterval time.Duration
	// Out takes the progress; nil means silence.
	Out io.Writer
}

// Server is a place that answers as an API server does.
type Server struct {
	URL string
	// CA verifies it; PEM.
	CA []byte
}

// Demarc is what was installed.
type Demarc struct {
	Sandbox *sandbox.Sandbox
	// Kubeconfig is the operator's: a token of its ServiceAccount.
	Kubeconfig string
	// MetricsURL and ProbeURL of the operator.
	MetricsURL, ProbeURL string
	// ChartRepo and ChartRevision that the Platform names.
	ChartRepo, ChartRevision string
}

// Run installs Demarc and waits until its operator is ready. A second run changes nothing.
func Run(ctx context.Context, s *sandbox.Sandbox, o Options) (*Demarc, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	d := &Demarc{Sandbox: s, ChartRepo: o.ChartRepo, ChartRevision: o.ChartRevision}
	if err := d.checkAlone(ctx); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context, Options) error
	}{
		{"the paved-road chart in Git", d.publishChart},
		{"CRDs", d.applyCRDs},
		{"chart " + filepath.Join("charts", "demarc"), d.installChart},
		{"the operator under its ServiceAccount", d.runOperator},
		{"Platform default", d.applyPlatform},
	} {
		fmt.Fprintf(o.Out, "  %s\n", step.name)
		if err := step.do(ctx, o); err != nil {
			return nil, fmt.Errorf("install %s: %w", step.name, err)
		}
	}
	return d, nil
}
