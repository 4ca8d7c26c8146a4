package parity

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// failure is what the audit log says of a policy that was broken.
type failure struct {
	Policy, Binding, Message string
}

// event of the audit log, as far as it is read.
type event struct {
	AuditID, Stage string
	Annotations    map[string]string
}

const (
	failuresKey = "validation.policy.admission.k8s.io/validation_failure"
)

// policies that are compared write annotations under their names.
var policies = []string{"demarc-rule-", "own-"}

// readAudit reads the audit log until it has the answers to all questions.
func readAudit(t testing.TB, questions []asked) map[string]event {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		events := readLog(t)
		missing := slices.IndexFunc(questions, func(a asked) bool {
			_, ok := events[a.ID]
			return !ok
		})
		if missing < 0 {
			return events
		}
		if time.Now().After(deadline) {
			t.Fatalf("the audit log does not have request %s", questions[missing].ID)
		}
		<-tick.C
	}
}

func readLog(t testing.TB) map[string]event {
	t.Helper()
	f, err := os.Open(auditLog)
	must(t, err)
	defer f.Close()
	all := map[string]event{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Stage == "ResponseComplete" {
			all[e.AuditID] = e
		}
	}
	must(t, lines.Err())
	return all
}

// failures that an event names, and the annotations of the policies themselves.
func (e event) failures(t testing.TB) (list []failure, own map[string]string) {
	t.Helper()
	own = map[string]string{}
	for key, value := range e.Annotations {
		if slices.ContainsFunc(policies, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			own[key] = value
		}
	}
	text, ok := e.Annotations[failuresKey]
	if !ok {
		return nil, own
	}
	must(t, json.Unmarshal([]byte(text), &list))
	if len(list) >= 50 {
		t.Errorf("request %s has 50 failures, and more are not told", e.AuditID)
	}
	return sorted(list), own
}
