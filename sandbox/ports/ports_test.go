package ports_test

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"demarc.dev/demarc/sandbox/ports"
)

func pick(t *testing.T, owner string, held map[string]int, inUse bool) map[string]int {
	t.Helper()
	got, err := ports.Pick(owner, []string{"a", "b"}, held, inUse)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestPickGivesEachOwnerItsOwn(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	seen := map[int]bool{}
	for range 20 {
		for _, port := range pick(t, t.TempDir(), nil, false) {
			if seen[port] {
				t.Fatalf("port %d was given twice", port)
			}
			seen[port] = true
		}
	}
}

func TestPickKeepsWhatIsFree(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	owner := t.TempDir()
	first := pick(t, owner, nil, false)
	again := pick(t, owner, first, false)
	if first["a"] != again["a"] || first["b"] != again["b"] {
		t.Errorf("ports changed from %v to %v", first, again)
	}
}

func TestPickReplacesWhatIsTaken(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	owner := t.TempDir()
	first := pick(t, owner, nil, false)
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first["a"]))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if kept := pick(t, owner, first, true); kept["a"] != first["a"] {
		t.Error("a running sandbox lost a port that it listens on")
	}
	if again := pick(t, owner, first, false); again["a"] == first["a"] || again["b"] != first["b"] {
		t.Errorf("with a taken, ports went from %v to %v", first, again)
	}
}

func TestPickFreesPortsOfFoldersThatAreGone(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	gone := filepath.Join(t.TempDir(), "gone")
	first := pick(t, gone, nil, false)
	if got := pick(t, t.TempDir(), first, false); got["a"] != first["a"] {
		t.Errorf("a port of a folder that is gone stays taken: %v, %v", first, got)
	}
}
