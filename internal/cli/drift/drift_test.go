package drift_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/internal/cli/drift"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

var update = flag.Bool("update", false, "write what is printed anew")

// run runs the verb on the objects of one of the engine's cases.
func run(t *testing.T, of string, args ...string) (code int, out string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("..", "..", "drift", "testdata", of+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if f.Name == "objects" {
			name += ".yaml"
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "DIR", dir)
	}
	var printed bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &printed, ErrOut: &printed, Width: 100})
	cmd := drift.NewCmdDrift(f, nil)
	cmd.SetArgs(append(args, "-f", filepath.Join(dir, "objects.yaml")))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	if text := exit.Text(err); text != "" {
		printed.WriteString(text + "\n")
	}
	return exit.Code(err), printed.String()
}

func TestTable(t *testing.T) {
	for name, c := range map[string]struct {
		of   string
		args []string
		code int
	}{
		"claim":        {"claim", []string{"--team", "shop"}, 1},
		"last-applied": {"last-applied", []string{"-n", "team-shop"}, 1},
		"edited":       {"edited", []string{"--all"}, 1},
		"audit":        {"secret", []string{"--team", "shop", "--audit-log", "DIR/audit"}, 1},
		"missing":      {"missing", []string{"--team", "shop"}, 1},
		"undeclared":   {"undeclared", []string{"--team", "shop"}, 1},
		"autoscaler":   {"autoscaler-overwrites", []string{"--team", "shop"}, 0},
		"unmanaged":    {"unmanaged", []string{"--team", "shop"}, 1},
		"application":  {"application", []string{"--team", "shop"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			code, got := run(t, c.of, c.args...)
			if code != c.code {
				t.Errorf("it ends with %d, want %d", code, c.code)
			}
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got); if that is meant: go test ./internal/cli/drift -update\n%s", diff)
			}
		})
	}
}

func TestDocuments(t *testing.T) {
	for form, want := range map[string]string{"json": `"id": "DR002"`, "yaml": "id: DR002", "sarif": `"ruleId": "DR002"`} {
		code, got := run(t, "edited", "--team", "shop", "-o", form)
		if code != 1 || !strings.Contains(got, want) {
			t.Errorf("%s: it ends with %d and prints %s", form, code, got)
		}
	}
}

func TestFlags(t *testing.T) {
	f := factory.New("demarc", factory.IO{})
	for line, want := range map[string]string{
		"":                                "",
		"--team shop":                     "",
		"-n team-shop -o json":            "",
		"--team shop -n team-shop":        "give one of --team",
		"--team shop --all":               "give one of --team",
		"-o text":                         `there is no output "text"`,
		"-f - --audit-log -":              "the standard input is either",
		"--team shop -f a.yaml -f b.yaml": "",
	} {
		ran := false
		cmd := drift.NewCmdDrift(f, func(context.Context, *drift.Options) error { ran = true; return nil })
		cmd.SetArgs(strings.Fields(line))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err := cmd.ExecuteContext(t.Context())
		if ran != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	for line, want := range map[string]string{
		"--team other":                     `nothing of tenant "other" is in the files`,
		"--team shop --audit-log DIR/none": "cannot read the audit log: ",
		"--team shop --audit-log DIR/want": "line 1 is no event of an audit log",
		"--team shop --chart DIR/none":     "",
		"-n team-shop -f DIR/objects.yaml": "",
	} {
		code, got := run(t, "edited", strings.Fields(line)...)
		if want != "" && code != 2 || !strings.Contains(got, want) {
			t.Errorf("%q ends with %d and says %s", line, code, got)
		}
	}
}
