package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	s := screen{width: 21}
	for _, test := range []struct {
		after time.Duration
		name  string
		state state
		want  string
	}{
		{1234 * time.Millisecond, "serviceclaim/payments", state{waiting, "WaitingForArgoCD", "not yet"},
			"   +1.2s  serviceclaim/payments  waiting  WaitingForArgoCD     not yet"},
		{100 * time.Second, "tenant/catalog", state{ready, "TenantReady", "all there"},
			" +100.0s  tenant/catalog         ready    TenantReady          all there"},
		{0, "tenant/catalog", state{gone, "", "it was deleted"},
			"   +0.0s  tenant/catalog         gone                          it was deleted"},
		{0, "tenant/a", state{stalled, "X\x1b[2J", "two\nlines\tand\u202ea turn\x00\xff"},
			"   +0.0s  tenant/a               stalled  X [2J                two lines and a turn ?"},
	} {
		if diff := cmp.Diff(test.want, s.line(test.after, test.name, test.state)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Colours change nothing about how a line looks otherwise.
func TestLineColour(t *testing.T) {
	now := state{ready, "Running", "as asked"}
	plain, coloured := screen{width: 9}.line(0, "tenant/a", now), screen{width: 9, colour: true}.line(0, "tenant/a", now)
	if plain == coloured || !strings.Contains(coloured, "\x1b[32mready  \x1b[0m") {
		t.Errorf("no colour in %q", coloured)
	}
	if got := strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(coloured); got != plain {
		t.Errorf("without colours %q, want %q", got, plain)
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	screen{out: &b}.text("NAME   READY\nx\x1b]0;title\a  True\n")
	if diff := cmp.Diff("  NAME   READY\n  x ]0;title   True\n", b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b[31m\u2066\u200b\u0085\n\xc3")
	f.Fuzz(func(t *testing.T, text string) {
		got := clean(text)
		if clean(got) != got || strings.ContainsAny(got, "\x1b\n\r\b\x7f\u009b\u202e\u2028") {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestReadObjects(t *testing.T) {
	dir := t.TempDir()
	text := "# first\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: not-ours}\n---\n" +
		"apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: a}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readObjects(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]object{platform, {"Tenant", "a"}}, got, cmp.AllowUnexported(object{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := readObjects(t.TempDir()); err == nil {
		t.Error("an empty folder is no error")
	}
}
