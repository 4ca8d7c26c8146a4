package ownership_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/ownership"
)

var update = flag.Bool("update", false, "write docs/reasons.md anew")

// docs/reasons.md lists every reason; it is made from the table.
func TestReasonsDocument(t *testing.T) {
	const path = "../../docs/reasons.md"
	var out bytes.Buffer
	fmt.Fprint(&out, "# Reasons\n\nEvery reason with which a condition of Demarc's is not True, who can act on it, and how. The names are API: alerts may\n"+
		"match on them. A stalled reason does not go away by waiting. Made from `internal/ownership/reasons.go` by\n"+
		"`go test ./internal/ownership -update`.\n\n| reason | who acts | stalled | next |\n|---|---|---|---|\n")
	names := make([]string, 0, len(ownership.Reasons))
	for name := range ownership.Reasons {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		r, stalled := ownership.Reasons[name], ""
		if r.Stalled {
			stalled = "yes"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", name, r.Party, stalled, r.Next)
	}
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), out.String()); diff != "" {
		t.Errorf("%s is not current; run: go test ./internal/ownership -update\n%s", path, diff)
	}
}

func TestAct(t *testing.T) {
	if got := ownership.Act("TenantNotFound", "it is not there"); got != "it is not there. Next, platform: create the Tenant; the claim goes on by itself." {
		t.Errorf("got %q", got)
	}
	for asker, want := range map[string]string{"ana": ". Next, ana: ask anew", "": ". Next, who asked: ask anew"} {
		if got := ownership.ActOf(asker, "DurationAboveLimit", "it is too long"); !strings.HasPrefix(got, "it is too long"+want) {
			t.Errorf("of %q got %q", asker, got)
		}
	}
	if got := ownership.ActOf("ana", "BeingGranted", "a"); !strings.HasPrefix(got, "a. Next, platform: ") {
		t.Errorf("what is the platform's to do is said to be %q", got)
	}
	for name, r := range ownership.Reasons {
		if r.Party == "" || r.Next == "" {
			t.Errorf("%s does not say who acts and how", name)
		}
	}
}
