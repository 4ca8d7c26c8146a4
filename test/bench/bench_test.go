package main

import (
	"os"
	"testing"
	"time"

	"demarc.dev/demarc/sandbox/programs"
)

// The operator is sparing when it delivers, and writes nothing when nothing changes (invariant O7).
func TestOperatorWritesLittleAndThenNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a control plane")
	}
	set, err := programs.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(set.BinDir); err != nil {
		t.Fatal("the programs are not built yet: go run ./cmd/demarc-sandbox build")
	}
	t.Setenv("DEMARC_STATE", t.TempDir())
	report, err := bench(t.Context(), Options{
		Name: "bench", Tenants: 3, Claims: 2, Writers: 4, Rounds: 1, Quiet: 3 * time.Second, Out: t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Print(t.Output(), false); err != nil {
		t.Fatal(err)
	}
	f := report.Runs[1].Operator
	if got := len(f.Delivery.claims); got != 6 {
		t.Errorf("the audit log tells of %d claims, want 6", got)
	}
	// On a machine so busy that steps last five seconds, each of these is told as well.
	most := 4 + int(report.Runs[1].Wall/(5*time.Second))
	if got := f.PerClaim(); got > float64(most) {
		t.Errorf("%.2f writes per claim within %s, want at most %d: %v", got, report.Runs[1].Wall, most, f.Delivery.claimWrites)
	}
	if n := f.Quiet.total(operatorActor); n > 0 {
		t.Errorf("%d writes while nothing changed: %v", n, f.Quiet.first)
	}
	if n := f.Restart.total(operatorActor); n > 0 {
		t.Errorf("%d writes over a restart: %v", n, f.Restart.first)
	}
	for _, difference := range f.Mismatch() {
		t.Errorf("two counts differ: %s", difference)
	}
}
