package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/process"
)

// bed is a supervisor in the test's own process, which therefore gets the pokes.
type bed struct {
	t   *testing.T
	dir string
}

func newBed(t *testing.T, wanted ...Desired) *bed {
	t.Helper()
	b := &bed{t: t, dir: t.TempDir()}
	for _, d := range wanted {
		b.want(d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Supervise(ctx, b.dir, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if left := process.Marked(Mark, b.dir); len(left) > 0 {
			t.Errorf("processes remain: %v", left)
		}
	})
	b.await("the supervisor's state", func(s State) bool { return s.Supervisor.Alive() })
	return b
}

func (b *bed) want(d Desired) {
	b.t.Helper()
	if err := WriteDesired(b.dir, d); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) poke() {
	b.t.Helper()
	if err := Poke(b.dir); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) await(what string, ok func(State) bool) State {
	b.t.Helper()
	var last State
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		s, err := ReadState(b.dir)
		if err != nil {
			b.t.Fatal(err)
		}
		if last = s; ok(s) {
			return s
		}
	}
	b.t.Fatalf("no %s; the state is %+v", what, last)
	return last
}

func (b *bed) awaitPhase(name string, phase Phase) Status {
	b.t.Helper()
	s := b.await(name+" "+string(phase), func(s State) bool { c, _ := s.Find(name); return c.Phase == phase })
	c, _ := s.Find(name)
	return c
}

func shell(name, script string, after ...string) Desired {
	return Desired{Component: component.Component{Name: name, Binary: "/bin/sh", Args: []string{"-c", script}, After: after}}
}

func TestDeadComponentIsRestartedAndItsLastWordsAreKept(t *testing.T) {
	b := newBed(t, shell("a", "echo first; echo last words; exec sleep 60"))
	first := b.awaitPhase("a", Ready)
	awaitLog(t, b.dir, "a", "last words")
	if err := first.Process.SignalGroup(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s := b.await("restart", func(s State) bool { c, _ := s.Find("a"); return c.Phase == Ready && c.Restarts == 1 })
	c, _ := s.Find("a")
	if c.Process == first.Process || !c.Process.Alive() {
		t.Errorf("process %v after %v", c.Process, first.Process)
	}
	if c.LastExit == nil || c.LastExit.Reason != "signal: killed" || !slices.Contains(c.LastExit.Log, "last words") {
		t.Errorf("last exit %+v", c.LastExit)
	}
}

func awaitLog(t *testing.T, dir, name, text string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(lastBytes(filepath.Join(dir, "logs", name+".log"), 1000), text) {
			return
		}
	}
	t.Fatalf("%s never wrote %q", name, text)
}

func TestStoppedComponentStaysDown(t *testing.T) {
	d := shell("a", "exec sleep 60")
	b := newBed(t, d)
	first := b.awaitPhase("a", Ready)
	d.Stopped = true
	b.want(d)
	b.poke()
	b.awaitPhase("a", Stopped)
	if first.Process.Alive() {
		t.Error("the stopped process lives")
	}
	d.Stopped = false
	b.want(d)
	b.poke()
	b.awaitPhase("a", Ready)
}

func TestChangedComponentIsReplaced(t *testing.T) {
	b := newBed(t, shell("a", "exec sleep 60"), shell("other", "exec sleep 60"))
	first, other := b.awaitPhase("a", Ready), b.awaitPhase("other", Ready)
	changed := shell("a", "exec sleep 61")
	b.want(changed)
	b.poke()
	b.await("replacement", func(s State) bool {
		c, _ := s.Find("a")
		return c.Phase == Ready && c.Hash == changed.Component.Hash()
	})
	if first.Process.Alive() || !other.Process.Alive() {
		t.Errorf("old alive: %v, other alive: %v", first.Process.Alive(), other.Process.Alive())
	}
}

func TestComponentWaitsForOthersAndForFiles(t *testing.T) {
	second := shell("second", "exec sleep 60", "first")
	second.Component.Files = []string{filepath.Join(t.TempDir(), "needed")}
	b := newBed(t, second)
	b.await("wait for first", func(s State) bool { c, _ := s.Find("second"); return c.Note == "waits for first" })
	b.want(shell("first", "exec sleep 60"))
	b.poke()
	b.await("wait for the file", func(s State) bool { c, _ := s.Find("second"); return strings.Contains(c.Note, "needed") })
	if err := os.WriteFile(second.Component.Files[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c := b.awaitPhase("second", Ready); c.Restarts != 0 {
		t.Errorf("waiting counted as %d deaths", c.Restarts)
	}
}

func TestForgottenComponentIsEnded(t *testing.T) {
	b := newBed(t, shell("a", "exec sleep 60"))
	c := b.awaitPhase("a", Ready)
	if err := Remove(b.dir, "a"); err != nil {
		t.Fatal(err)
	}
	b.poke()
	b.await("end", func(s State) bool { _, ok := s.Find("a"); return !ok })
	if c.Process.Alive() {
		t.Error("the process lives")
	}
}

func TestSecondSupervisorIsRefused(t *testing.T) {
	b := newBed(t)
	if err := Supervise(t.Context(), b.dir, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a second supervisor started")
	}
}

func TestComponentsGetASmallEnvironment(t *testing.T) {
	t.Setenv("KUBECONFIG", "of the user")
	t.Setenv("NO_PROXY", "example.org")
	env := environment("/dir", "/bin-dir", map[string]string{"HOME": "/own"})
	for _, want := range []string{Mark + "=/dir", "HOME=/own"} {
		if !slices.Contains(env, want) {
			t.Errorf("%q is missing in %v", want, env)
		}
	}
	for _, entry := range env {
		if strings.HasPrefix(entry, "KUBECONFIG=") {
			t.Errorf("the user's %s reaches a component", entry)
		}
		if v, ok := strings.CutPrefix(entry, "NO_PROXY="); ok && (!strings.HasPrefix(v, "example.org,") || !strings.Contains(v, component.PodRange)) {
			t.Errorf("NO_PROXY is %s", v)
		}
	}
}

func TestLogsDoNotGrowForEver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "logs", "a.log")
	f, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(cutAt); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "kept aside")
	if err := cutLogs(dir); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "after")
	if got := lastBytes(path, 100); got != "after" {
		t.Errorf("log is %q", got)
	}
	if got := lastLines(path+".1", 1); len(got) != 1 || !strings.HasSuffix(got[0], "kept aside") && !strings.HasSuffix(got[0], "…") {
		t.Errorf("what was cut is %q", got)
	}
}
