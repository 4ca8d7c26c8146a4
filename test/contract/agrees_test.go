package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/verify"
	"demarc.dev/demarc/test/cluster"
)

// leastProbes is how many real requests have to be made at least.
const leastProbes = 1000

// fresh: nobody did anything yet but install, and the operator wrote what is its own.
func fresh(t *testing.T) {
	cluster.Eventually(t, patience, func(context.Context) error {
		if report := verified(t); report.Found() {
			return errors.New(findings(report))
		}
		return nil
	})
	agrees(t, verified(t))
}

// use makes two teams with a service each.
func use(t *testing.T) {
	on.Must(t, `patch platform default --type=merge -p {"spec":{"team":{"groups":["platform-engineers"],"contacts":{"channel":"#platform","onCall":"platform-primary"}}}}`)
	on.Apply(t, cluster.Tenant("ink", contacts), cluster.Tenant("oak", contacts), cluster.Claim("ink", "ink", "image: nginx:1.27-alpine, port: 80"))
	on.ClaimSays(t, patience, "ink", "Ready", "Running")
	on.TenantSays(t, patience, "oak", "Ready", "TenantReady")
}

const contacts = cluster.Roomy + ", contacts: {channel: '#team', onCall: team-primary}"

// inUse: with teams there are many more cells, and requests are made as their people.
func inUse(t *testing.T) {
	cluster.Eventually(t, patience, func(context.Context) error {
		report := verified(t, "--probe")
		switch {
		case report.Probed < leastProbes:
			return fmt.Errorf("only %d requests were made", report.Probed)
		case report.Found():
			return errors.New(findings(report))
		}
		t.Logf("%d cells compared, %d requests made, %d differ", report.Cells, report.Probed, report.Differ)
		agrees(t, report)
		return nil
	})
}

func verified(t *testing.T, args ...string) verify.Report {
	t.Helper()
	out, code := demarc(t, append([]string{"contract", "verify", "-o", "json"}, args...)...)
	var report verify.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || code > 1 {
		t.Fatalf("demarc contract verify ends with %d: %v: %s", code, err, out)
	}
	if (code == 1) != report.Found() {
		t.Errorf("demarc contract verify ends with %d, and finds: %s", code, findings(report))
	}
	return report
}

func agrees(t *testing.T, report verify.Report) {
	t.Helper()
	if report.Found() || report.Differ > 0 || len(report.Unread) > 0 || report.Cells == 0 {
		t.Errorf("of %d cells %d differ, not read: %v, found:\n%s", report.Cells, report.Differ, report.Unread, findings(report))
	}
}

func findings(report verify.Report) string {
	var b strings.Builder
	for _, f := range report.Findings {
		if f.Counts() {
			fmt.Fprintf(&b, "%s %s: %s\n", f.ID, f.Object, f.Message)
		}
	}
	return b.String()
}
