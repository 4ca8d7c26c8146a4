// Command record brings every incident about on a sandbox and writes the cases of triage anew
// from what the API server then holds.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/test/cluster"
	"demarc.dev/demarc/test/findings"
	"demarc.dev/demarc/test/findings/stage"
)

func main() {
	only := flag.String("only", "", "ids to record, with commas; empty is all")
	out := flag.String("out", filepath.Join(cluster.Root(), "internal", "triage", "testdata"), "folder of the cases")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, *only, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, out string) error {
	incidents, err := findings.Incidents()
	if err != nil {
		return err
	}
	on, down, err := cluster.Up(ctx, "findings", 1)
	if err != nil {
		return err
	}
	defer down()
	st, err := stage.New(on)
	if err != nil {
		return err
	}
	versions, err := findings.Versions(cluster.Root(), st.Kubernetes)
	if err != nil {
		return err
	}
	failed, done := 0, 0
	for _, one := range incidents {
		if only != "" && !slices.Contains(strings.Split(only, ","), one.ID) || ctx.Err() != nil {
			continue
		}
		archive, err := findings.Record(ctx, st, one, versions)
		if err == nil {
			err = os.WriteFile(filepath.Join(out, one.ID+".txtar"), txtar.Format(archive), 0o644)
		}
		if err != nil {
			failed++
			fmt.Fprintln(os.Stderr, "not recorded:", err)
			continue
		}
		done++
		fmt.Fprintln(os.Stderr, "recorded", one.ID)
	}
	if failed > 0 || ctx.Err() != nil {
		return fmt.Errorf("%d recorded, %d not", done, failed)
	}
	fmt.Fprintf(os.Stderr, "%d recorded\n", done)
	return nil
}
