package sandbox_test

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/process"
	"demarc.dev/demarc/sandbox/supervisor"
)

// A dead supervisor hinders neither up, which goes on with the data, nor down, which leaves no process.
func TestSupervisorKilled(t *testing.T) {
	s := up(t, sandbox.Options{WithoutArgoCD: true, Nodes: 1})
	kubectl(t, s, "create", "namespace", "kept")
	killSupervisor(t, s)
	if _, err := sandbox.Open("test"); !errors.Is(err, sandbox.ErrNotRunning) {
		t.Errorf("open: %v, want %v", err, sandbox.ErrNotRunning)
	}
	if _, err := sandbox.Up(t.Context(), sandbox.Options{Name: "test", WithoutArgoCD: true, Nodes: 1, Out: t.Output()}); err != nil {
		t.Fatal(err)
	}
	kubectl(t, s, "get", "namespace", "kept")
	killSupervisor(t, s)
	for range 2 {
		if err := sandbox.Down(t.Context(), "test", false); err != nil {
			t.Fatal(err)
		}
	}
	noProcess(t, s)
	if _, err := os.Stat(s.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder remains: %v", err)
	}
}

func killSupervisor(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	state, err := supervisor.ReadState(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if err := state.Supervisor.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if left := process.WaitGone([]process.ID{state.Supervisor}, 5*time.Second); len(left) > 0 {
		t.Fatal("the supervisor survived SIGKILL")
	}
}

func TestKeptDataSurvivesDown(t *testing.T) {
	s := up(t, sandbox.Options{WithoutArgoCD: true, Nodes: 1})
	kubectl(t, s, "create", "namespace", "kept")
	if err := sandbox.Down(t.Context(), "test", true); err != nil {
		t.Fatal(err)
	}
	noProcess(t, s)
	if _, err := sandbox.Up(t.Context(), sandbox.Options{Name: "test", WithoutArgoCD: true, Nodes: 1, Out: t.Output()}); err != nil {
		t.Fatal(err)
	}
	kubectl(t, s, "get", "namespace", "kept")
}

// Two sandboxes are started at the same moment.
func TestSideBySide(t *testing.T) {
	s := up(t, sandbox.Options{WithoutArgoCD: true, Nodes: 1})
	errs := make(chan error, 2)
	for _, name := range []string{"left", "right"} {
		go func() {
			_, err := sandbox.Up(t.Context(), sandbox.Options{Name: name, WithoutArgoCD: true, Nodes: 1, Out: t.Output()})
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"left", "right"} {
		if err := sandbox.Down(t.Context(), name, false); err != nil {
			t.Error(err)
		}
	}
	kubectl(t, s, "get", "nodes")
}

func TestAttach(t *testing.T) {
	s := up(t, sandbox.Options{WithoutArgoCD: true, Nodes: 1})
	beside, err := sandbox.Attach(t.Context(), "beside", s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	client(t, beside)
	if err := beside.Run(t.Context(), component.Component{Name: "extra", Binary: "/bin/sleep", Args: []string{"100"}}); err != nil {
		t.Error(err)
	}
	if _, err := sandbox.Up(t.Context(), sandbox.Options{Name: "beside"}); err == nil {
		t.Error("up turned an attached sandbox into another")
	}
	if err := beside.Down(t.Context()); err != nil {
		t.Error(err)
	}
	noProcess(t, beside)
	kubectl(t, s, "get", "nodes")
}
