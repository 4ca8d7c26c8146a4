package triage_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// everyCase checks each case of triage with some of its texts changed: change is given the object,
// what a text stands in, its key, and the text.
func everyCase(t *testing.T, change func(o snapshot.Object, parent, key, text string) string) (reports []triage.Report) {
	t.Helper()
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) < 100 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, name := range cases {
		list, err := snapshot.Parse([]byte(part(parse(t, name), "objects")))
		if err != nil {
			t.Fatal(err)
		}
		set := &snapshot.Set{At: now}
		for _, o := range list {
			changed(o, o.Object, "", change)
			set.Add(o)
		}
		reports = append(reports, triage.Check(set, triage.Question{}))
	}
	return reports
}

func changed(o snapshot.Object, in map[string]any, parent string, change func(o snapshot.Object, parent, key, text string) string) {
	for key, value := range in {
		switch v := value.(type) {
		case string:
			in[key] = change(o, parent, key, v)
		case map[string]any:
			changed(o, v, key, change)
		case []any:
			for _, item := range v {
				if m, ok := item.(map[string]any); ok {
					changed(o, m, key, change)
				}
			}
		}
	}
}

// Whoever says what to whom: no text of a finding has what looks like a secret.
func TestNoSecretIsTold(t *testing.T) {
	for _, secret := range []string{
		"config: DB_PASSWORD=open-sesame API_TOKEN=open-sesame cannot connect", "Authorization: Bearer open-sesame", "curl -u app:open-sesame", "dial postgres://app:open-sesame@db/app", "GET /?token=open-sesame",
	} {
		told := 0
		for _, r := range everyCase(t, func(_ snapshot.Object, _, key, text string) string {
			if key == "message" || key == "note" {
				return text + " " + secret
			}
			return text
		}) {
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if at := strings.Index(string(raw), "sesame"); at >= 0 {
				t.Errorf("of %q it is told: …%s…", secret, raw[max(0, at-300):min(len(raw), at+20)])
			}
			told += strings.Count(string(raw), "(left out: ")
		}
		if told < 50 {
			t.Errorf("of %q only %d are left out: the cases do not tell it", secret, told)
		}
	}
}

// What containers print is their team's: it is evidence, and in no message, which claims repeat to
// all teams.
func TestContainersOutputIsEvidence(t *testing.T) {
	const printed = "printed-by-the-program"
	seen := 0
	for _, r := range everyCase(t, func(o snapshot.Object, parent, key, text string) string {
		reason, _ := o.Object["reason"].(string)
		switch {
		case key == "message" && (reason == "Unhealthy" || reason == "FailedPostStartHook"), key == "message" && parent == "terminated" && !strings.Contains(text, "OCI runtime"):
			return text + " " + printed
		}
		return text
	}) {
		each(r, func(f finding.Finding) {
			for _, text := range append([]string{f.Message, f.Because, f.Mend.Says, f.Mend.Command}, steps(f)...) {
				if strings.Contains(text, printed) {
					t.Errorf("%s tells what a container printed: %s", f.ID, text)
				}
			}
			for _, e := range f.Evidence {
				seen += strings.Count(e.Value, printed)
			}
		})
	}
	if seen < 8 {
		t.Errorf("it is evidence %d times only", seen)
	}
}

func steps(f finding.Finding) (list []string) {
	for _, s := range f.Next {
		list = append(list, s.Says, s.Command)
	}
	return list
}
