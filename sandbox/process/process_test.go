package process_test

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"demarc.dev/demarc/sandbox/process"
)

func sleeper(t *testing.T, env ...string) (*exec.Cmd, process.ID) {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	id, err := process.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, id
}

func TestEndedProcessIsNotAlive(t *testing.T) {
	_, id := sleeper(t)
	if !id.Alive() {
		t.Fatal("a running process is called dead")
	}
	process.End([]process.ID{id}, time.Second)
	if id.Alive() {
		t.Fatal("an ended process is called alive")
	}
}

// A number that was given to another process is never signalled.
func TestReusedNumberIsLeftAlone(t *testing.T) {
	_, id := sleeper(t)
	stale := process.ID{PID: id.PID, Start: "another boot/1"}
	if stale.Alive() {
		t.Error("another process under the same number is called alive")
	}
	if err := stale.SignalGroup(syscall.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal: %v, want %v", err, os.ErrProcessDone)
	}
	process.End([]process.ID{stale}, 10*time.Millisecond)
	if !id.Alive() {
		t.Error("another process was ended")
	}
}

func TestZeroIDIsNoProcess(t *testing.T) {
	if (process.ID{}).Alive() {
		t.Error("no process is called alive")
	}
}

func TestMarkedFindsByEnvironment(t *testing.T) {
	value := t.TempDir()
	_, id := sleeper(t, "DEMARC_TEST_MARK="+value)
	_, _ = sleeper(t, "DEMARC_TEST_MARK="+value+"-longer")
	found := process.Marked("DEMARC_TEST_MARK", value)
	if len(found) != 1 || found[0] != id {
		t.Errorf("found %v, want %v", found, id)
	}
}
