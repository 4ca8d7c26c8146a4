package status_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/internal/status"
)

// Whatever the cluster says of a service: nothing of an answer, its findings among it, has what
// looks like a secret.
func TestNoSecretIsTold(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	findings, told := 0, 0
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		set, q := load(t, archive)
		for _, o := range set.All() {
			if o.GetKind() != "Platform" {
				leak(o.Object)
			}
		}
		a, _ := status.Of(set, q)
		findings += len(a.Findings)
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		told += strings.Count(text, "(left out: ")
		for at := strings.Index(text, "sesame"); at >= 0; at = strings.Index(text, "sesame") {
			t.Errorf("%s: it is told: …%s…", name, text[max(0, at-300):at+6])
			text = text[at+6:]
		}
	}
	if findings == 0 || told == 0 {
		t.Errorf("the cases have %d findings, and %d texts are left out", findings, told)
	}
}

// leak puts secrets behind each message.
func leak(in map[string]any) {
	for key, value := range in {
		switch v := value.(type) {
		case string:
			if key == "message" {
				in[key] = v + ": config: DB_PASSWORD=open-sesame API_TOKEN=open-sesame cannot connect"
			}
		case map[string]any:
			leak(v)
		case []any:
			for _, item := range v {
				if m, ok := item.(map[string]any); ok {
					leak(m)
				}
			}
		}
	}
}
