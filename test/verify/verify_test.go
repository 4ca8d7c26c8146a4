package verify

import (
	"testing"

	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/verify"
)

// One cluster for all: it is fresh, then asked, then tampered with.
func TestVerify(t *testing.T) {
	testEverybody(t)
	install(t)
	if err := clean(t); err != nil {
		t.Fatalf("a fresh cluster is not clean: %v", err)
	}
	if *update {
		writeFresh(t)
		return
	}
	t.Run("as the authorizer", asTheAuthorizer)
	t.Run("probed", probed)
	t.Run("as a command", command)
	t.Run("without impersonation", unimpersonating)
	t.Run("without a chart", withoutChart)
	t.Run("reviewed", reviewed)
	t.Run("tampered", tampered)
}

// probed makes the requests of --probe: each is answered as the contract says, and
// nothing was made by them.
func probed(t *testing.T) {
	set, q := read(t)
	probes := verify.Probes(set, q)
	if len(probes) < 1000 {
		t.Fatalf("only %d requests", len(probes))
	}
	answers, err := survey.Cluster{Client: env.Client}.Probe(t.Context(), env.Config, probes)
	must(t, err)
	q.Probed = answers
	report := verify.Check(set, q)
	for _, f := range report.Findings {
		if f.Counts() {
			t.Errorf("%s %s: %s %v", f.ID, f.Object, f.Message, f.Evidence)
		}
	}
	t.Logf("%d requests made, %d cells compared", report.Probed, report.Cells)
}
