package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/test/auditlog"
)

// event is one line of an audit log, answered so many seconds after start.
func event(t *testing.T, second int, user, agent, verb, resource, subresource, name string, code int) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"stage": "ResponseComplete", "verb": verb, "userAgent": agent, "requestURI": "/", "user": map[string]any{"username": user},
		"objectRef":      map[string]any{"resource": resource, "subresource": subresource, "name": name},
		"responseStatus": map[string]any{"code": code},
		"stageTimestamp": start.Add(time.Duration(second) * time.Second).Format(time.RFC3339Nano),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestLedgerCountsWhatChangedSomething(t *testing.T) {
	dir := t.TempDir()
	text := strings.Join([]string{
		event(t, 0, auditlog.OperatorUser, "x", "patch", "serviceclaims", "", "bench-000-00", 200), // before the span
		event(t, 1, auditlog.OperatorUser, "x", "patch", "serviceclaims", "status", "bench-000-00", 200),
		event(t, 2, auditlog.OperatorUser, "x", "create", "applications", "", "bench-000.bench-000-00", 201),
		event(t, 3, auditlog.OperatorUser, "x", "create", "events", "", "bench-000-00.18ab", 201),
		event(t, 3, auditlog.OperatorUser, "x", "create", "namespaces", "", "team-bench-000", 201),
		event(t, 3, auditlog.OperatorUser, "x", "create", "namespaces", "", "team-bench-000", 409), // refused
		event(t, 4, auditlog.OperatorUser, "x", "update", "leases", "", "demarc-operator", 200),    // by the clock
		event(t, 4, auditlog.OperatorUser, "x", "create", "events", "", "demarc-operator.18ab", 201),
		event(t, 4, auditlog.OperatorUser, "x", "get", "tenants", "", "bench-000", 200),
		event(t, 5, "sandbox-admin", string(standInActor), "create", "pods", "", "a", 201),
		`{"stage": "ResponseComplete", "verb": "pat`, // being written
	}, "")
	if err := os.Mkdir(filepath.Join(dir, "audit"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "audit", "audit.log"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLedger()
	if err := l.read(dir, start.Add(time.Second), start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{"operator": l.total(operatorActor), "stand-in": l.total(standInActor), "claims": l.claims, "reads": sum(l.reads)}
	want := map[string]any{"operator": 4, "stand-in": 1, "claims": map[string]int{"bench-000-00": 3}, "reads": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMismatchNamesBothCounts(t *testing.T) {
	w := write{"pods", "", "create"}
	l := newLedger()
	l.by[standInActor] = map[write]int{w: 2}
	f := Figures{Delivery: l, Metrics: map[write]int{w: 3}}
	if diff := cmp.Diff([]string{"create pods: 3 in the metrics, 2 in the audit log"}, f.Mismatch()); diff != "" {
		t.Error(diff)
	}
}

func TestMedianOfAnEvenNumber(t *testing.T) {
	r := Report{Runs: []Run{{Kind: Plain, Wall: 4}, {Kind: Plain, Wall: 2}, {Kind: Operator, Wall: 6}}}
	if got := r.Ratio(); got != 2 {
		t.Errorf("ratio %v, want 2: 6 to the mean of 2 and 4", got)
	}
}
