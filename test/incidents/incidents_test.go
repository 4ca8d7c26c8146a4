// Package incidents has ten things go wrong for real, on a real control plane with a real Argo
// CD, and asks that each is named by demarc triage, by demarc status, in the claim's condition,
// by the Tenant, in an Event and in the metrics, as whose it is; and that all of these go by
// themselves when it is mended, by nothing but the mending.
package incidents

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/cluster"
)

const (
	// patience is for what takes up to three minutes on an idle machine: what may be passing
	// triage lets be for two.
	patience = 8 * time.Minute
	// interval at which the operator looks, since some incidents leave the claim Ready and so
	// wake nobody.
	interval = 10 * time.Second
	// engineers are the platform's people.
	engineers = "platform-engineers"
)

var (
	on *cluster.Cluster
	// program is the command line, built once.
	program string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	if err := flag.Set("test.parallel", fmt.Sprint(len(incidents))); err != nil { // they wait, mostly
		return failed("have all at once", err)
	}
	dir, err := os.MkdirTemp("", "demarc-incidents-")
	if err != nil {
		return failed("make a folder", err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "demarc")
	build := exec.Command("go", "build", "-o", program, "./cmd/demarc")
	build.Dir = cluster.Root()
	if out, err := build.CombinedOutput(); err != nil {
		return failed("build demarc", fmt.Errorf("%w: %s", err, out))
	}
	c, down, err := cluster.Start(context.Background(), "incidents", cluster.Options{Nodes: 6, Install: install.Options{
		TriageInterval: interval, Team: &v1alpha1.PlatformTeam{Groups: []string{engineers}},
	}})
	if err != nil {
		return failed("set up the sandbox of the tests", err)
	}
	defer down()
	on = c
	return m.Run()
}

func failed(what string, err error) int {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	return 1
}

// TestIncidents are all at once, each in a team of its own.
func TestIncidents(t *testing.T) {
	for node, pool := range map[string]string{"node-4": "drained", "node-5": "drained", "node-6": "failing"} {
		on.Must(t, fmt.Sprintf("label node %s pool=%s --overwrite", node, pool))
		on.Must(t, fmt.Sprintf("taint node %s pool=%s:NoSchedule --overwrite", node, pool))
	}
	on.Apply(t, ingressClass)
	for _, i := range incidents {
		t.Run(i.name, func(t *testing.T) {
			t.Parallel()
			i.happens(t)
		})
	}
}
