package compile

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/guardrail"
)

var update = flag.Bool("update", false, "write the generated files anew")

// root is the checkout.
const root = "../../.."

// TestGenerated holds what is made from the rules to be current.
func TestGenerated(t *testing.T) {
	rules := guardrail.Catalogue()
	baseline, err := Sets()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		filepath.Join("docs", "guardrails", "README.md"):        Index(rules),
		filepath.Join("charts", "demarc", "guardrailsets.yaml"): baseline,
	}
	for _, r := range rules {
		text, err := Text(r)
		if err != nil {
			t.Fatal(err)
		}
		shipped, err := Chart(r)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Join("internal", "guardrail", "rules", r.ID+".yaml")] = text
		files[filepath.Join("charts", "demarc", "templates", "guardrails", r.ID+".yaml")] = shipped
		files[filepath.Join("docs", "guardrails", r.ID+".md")] = Page(r)
	}
	for file, text := range files {
		golden(t, filepath.Join(root, file), text)
	}
	left(t, files)
}

// left looks for files of rules that there are no more.
func left(t *testing.T, files map[string][]byte) {
	t.Helper()
	for _, dir := range []string{"internal/guardrail/rules", "charts/demarc/templates/guardrails", "docs/guardrails"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if _, ok := files[filepath.Join(dir, e.Name())]; ok {
				continue
			}
			if *update {
				if err := os.Remove(filepath.Join(root, dir, e.Name())); err != nil {
					t.Fatal(err)
				}
				continue
			}
			t.Errorf("%s/%s is of no rule; make generate", dir, e.Name())
		}
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not current (-want +got); make generate\n%s", file, diff)
	}
}
