package supervisor

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/probe"
	"demarc.dev/demarc/sandbox/process"
)

const (
	firstBackoff = 500 * time.Millisecond
	lastBackoff  = 30 * time.Second
	// steady is how long a component must have run for its backoff to begin anew.
	steady = time.Minute
	// grace is how long a component may take to end when asked.
	grace = 5 * time.Second
)

// runner keeps one component running until its context ends.
type runner struct {
	component component.Component
	dir       string
	store     *store
	log       *slog.Logger
}

// run starts the component, again and again.
func (r *runner) run(ctx context.Context) {
	backoff := firstBackoff
	for ctx.Err() == nil {
		r.set(func(s *Status) { s.Phase, s.Process, s.Since = Waiting, process.ID{}, time.Now() })
		if r.store.waitReady(ctx, r.component.After, r.note) != nil || !r.waitFiles(ctx) {
			return
		}
		began := time.Now()
		reason := r.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > steady {
			backoff = firstBackoff
		}
		r.died(reason, backoff)
		if !pause(ctx, backoff) {
			return
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// once runs the component until it ends by itself or the context does, and returns why it ended.
func (r *runner) once(ctx context.Context) string {
	cmd, err := r.start()
	if err != nil {
		return err.Error()
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	id, err := process.Of(cmd.Process.Pid)
	if err == nil {
		r.set(func(s *Status) { s.Phase, s.Process, s.Since, s.Note = Starting, id, time.Now(), "" })
	}
	// The probe has ended before anything else is noted: it must not call a dead component ready.
	probing, stop := context.WithCancel(ctx)
	var probed sync.WaitGroup
	defer probed.Wait()
	defer stop()
	probed.Go(func() { r.probe(probing) })
	select {
	case err := <-ended:
		return ending(err)
	case <-ctx.Done():
		r.end(cmd.Process.Pid, ended)
		return "stopped"
	}
}

func (r *runner) start() (*exec.Cmd, error) {
	logFile, err := openLog(r.logPath())
	if err != nil {
		return nil, err
	}
	defer logFile.Close()
	cmd := exec.Command(r.component.Binary, r.component.Args...)
	cmd.Dir = r.component.Dir
	if cmd.Dir == "" {
		cmd.Dir = r.dir
	}
	cmd.Env = environment(r.dir, filepath.Dir(r.component.Binary), r.component.Env)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	// A group of its own, so that what it starts can be ended with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, cmd.Start()
}

// waitFiles returns true when all the files are there: some are made only when other components run.
func (r *runner) waitFiles(ctx context.Context) bool {
	for _, file := range r.component.Files {
		for {
			_, err := os.Stat(file)
			if err == nil {
				break
			}
			r.note("waits for a file: " + err.Error())
			if !pause(ctx, 50*time.Millisecond) {
				return false
			}
		}
	}
	return true
}

func (r *runner) logPath() string { return filepath.Join(r.dir, "logs", r.component.Name+".log") }

// probe asks until the first yes. A later no is for whoever asks then: only death makes a restart.
func (r *runner) probe(ctx context.Context) {
	for {
		err := probe.Check(ctx, r.component.Ready)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			r.set(func(s *Status) { s.Phase, s.Note = Ready, "" })
			r.log.Info("ready", "component", r.component.Name)
			return
		}
		r.note(err.Error())
		if !pause(ctx, 50*time.Millisecond) {
			return
		}
	}
}

func (r *runner) end(pid int, ended <-chan error) {
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(grace):
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		<-ended
	}
}

func (r *runner) died(reason string, backoff time.Duration) {
	exit := &Exit{Time: time.Now(), Reason: reason, Log: lastLines(r.logPath(), 10)}
	r.log.Warn("died", "component", r.component.Name, "reason", reason, "restart in", backoff, "log", exit.Log)
	r.set(func(s *Status) {
		s.Phase, s.Process, s.Since, s.LastExit = Backoff, process.ID{}, time.Now(), exit
		s.Restarts++
		s.Note = "started again in " + backoff.String()
	})
}

func (r *runner) set(change func(*Status)) { r.store.update(r.component.Name, change) }

// note is left out when nothing changes: a probe asks many times a second.
func (r *runner) note(text string) {
	r.store.mu.Lock()
	s, _ := r.store.state.Find(r.component.Name)
	r.store.mu.Unlock()
	if s.Note != text {
		r.set(func(s *Status) { s.Note = text })
	}
}

func ending(err error) string {
	if err == nil {
		return "ended with exit code 0"
	}
	return err.Error()
}

// pause waits, and tells whether the context still holds.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
