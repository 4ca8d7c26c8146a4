package prometheus

import (
	"regexp"
	"strings"
	"testing"
)

var heading = regexp.MustCompile(`(?m)^#+ (Demarc\w+)$`)

// TestAlertsAreExplained has every alert say what it is, in words that end, with a link to a
// heading of docs/monitoring.md, which has no other.
func TestAlertsAreExplained(t *testing.T) {
	explained := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(text(t, "../../docs/monitoring.md"), -1) {
		explained[found[1]] = false
	}
	for _, r := range ask(t, question{Files: ruleFiles(t)}).Rules {
		if _, ok := explained[r.Alert]; !ok {
			t.Errorf("docs/monitoring.md has no heading %s", r.Alert)
		}
		explained[r.Alert] = true
		if want := "docs/monitoring.md#" + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("%s: runbook_url %s, want %s", r.Alert, r.Annotations["runbook_url"], want)
		}
		for _, k := range []string{"summary", "description"} {
			if !strings.HasSuffix(r.Annotations[k], ".") {
				t.Errorf("%s: its %s is no sentence: %q", r.Alert, k, r.Annotations[k])
			}
		}
	}
	for name, there := range explained {
		if !there {
			t.Errorf("docs/monitoring.md explains %s, which is no alert", name)
		}
	}
	_, a := replayAll(t)
	for _, c := range a.Cases {
		for _, f := range c.Fires {
			for k, v := range f.Annotations {
				if strings.Contains(v, "<") || strings.Contains(v, "{{") || strings.Contains(v, "  ") {
					t.Errorf("%s: %s is %q", f.Labels["alertname"], k, v)
				}
			}
		}
	}
}
