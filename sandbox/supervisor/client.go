package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Spawn starts a supervisor for a folder, in a session of its own so that it outlives its caller, and waits until it writes.
func Spawn(ctx context.Context, dir, binary string) error {
	logFile, err := openLog(filepath.Join(dir, "logs", "supervisor.log"))
	if err != nil {
		return err
	}
	defer logFile.Close()
	cmd := exec.Command(binary, "supervise", "--dir", dir)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), Mark+"="+dir)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if s, err := ReadState(dir); err == nil && s.Supervisor.PID == cmd.Process.Pid && s.Supervisor.Alive() {
			return nil
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the supervisor ended at once (%s): %s", ending(err), strings.Join(lastLines(logFile.Name(), 5), "\n"))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Poke makes the supervisor read again what is wanted.
func Poke(dir string) error {
	s, err := ReadState(dir)
	if err != nil {
		return err
	}
	if err := s.Supervisor.Signal(syscall.SIGHUP); err != nil {
		return fmt.Errorf("no supervisor runs in %s: %w", dir, err)
	}
	return nil
}

// Await polls the state until ok says yes or the context ends; the error then carries what ok missed.
func Await(ctx context.Context, dir string, ok func(State) error) error {
	for {
		s, err := ReadState(dir)
		if err == nil && !s.Supervisor.Alive() {
			return fmt.Errorf("the supervisor of %s died: see logs/supervisor.log there", dir)
		}
		if err == nil {
			if err = ok(s); err == nil || errors.As(err, new(finalError)) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// finalError ends an Await at once.
type finalError struct{ error }

// GiveUp marks an error that waiting does not mend.
func GiveUp(err error) error { return finalError{err} }
