package triage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// While the same is wrong its message is the same: claims repeat it, and are written anew where it
// differs. Minutes later, with more restarts, and on a larger cluster that is as full.
func TestMessagesStandStill(t *testing.T) {
	for _, text := range objectsOf(t) {
		before, after := told(t, text, now, 0), told(t, text, now.Add(6*time.Minute), 3)
		for key, message := range after {
			if was, known := before[key]; known && was != message {
				t.Errorf("%s\n%s", key, cmp.Diff(was, message))
			}
		}
	}
}

// told are the messages of what is found, by what it is about.
func told(t *testing.T, text string, at time.Time, more int64) map[string]string {
	t.Helper()
	list, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: now}
	for _, o := range list {
		status, _ := o.Object["status"].(map[string]any)
		for _, group := range []string{"containerStatuses", "initContainerStatuses"} {
			containers, _ := status[group].([]any)
			for _, c := range containers {
				if one, _ := c.(map[string]any); one["restartCount"] != nil && one["restartCount"] != int64(0) {
					one["restartCount"] = one["restartCount"].(int64) + more
				}
			}
		}
		for _, count := range []string{"updatedReplicas", "availableReplicas", "expectedPods", "desiredHealthy"} {
			if n, _ := status[count].(int64); n > 0 {
				status[count] = n + more
			}
		}
		set.Add(o)
	}
	said := map[string]string{}
	each(triage.Check(set, triage.Question{Now: at}), func(f finding.Finding) {
		key := fmt.Sprint(f.ID, " ", f.Object, " ", f.Severity, " ", len(f.Affects))
		if _, twice := said[key]; twice {
			key += fmt.Sprint(" ", len(said))
		}
		said[key] = f.Message
	})
	return said
}
