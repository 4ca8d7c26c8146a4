// Package process identifies processes by number and start time, so that a number that the system has given to another
// process is never signalled, and finds what a sandbox left behind by a mark in its environment.
package process

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// ID is a process that was seen once. The zero ID is no process.
type ID struct {
	PID int `json:"pid"`
	// Start is the boot and the moment within it at which the process began.
	Start string `json:"start"`
}

// Of identifies a running process.
func Of(pid int) (ID, error) {
	start, err := startOf(pid)
	if err != nil {
		return ID{}, err
	}
	return ID{PID: pid, Start: start}, nil
}

// Alive tells whether the very same process still runs. A zombie does not.
func (id ID) Alive() bool {
	if id.PID <= 0 || id.Start == "" {
		return false
	}
	start, err := startOf(id.PID)
	return err == nil && start == id.Start
}

// Signal sends a signal to the process if it is still the same one.
func (id ID) Signal(sig syscall.Signal) error {
	if !id.Alive() {
		return os.ErrProcessDone
	}
	return syscall.Kill(id.PID, sig)
}

// SignalGroup sends a signal to the group that the process leads, if it is still the same one.
func (id ID) SignalGroup(sig syscall.Signal) error {
	if !id.Alive() {
		return os.ErrProcessDone
	}
	err := syscall.Kill(-id.PID, sig)
	if errors.Is(err, syscall.ESRCH) {
		return syscall.Kill(id.PID, sig)
	}
	return err
}

// WaitGone polls until none of the processes lives, or the deadline passes; it returns those that still do.
func WaitGone(ids []ID, timeout time.Duration) []ID {
	deadline := time.Now().Add(timeout)
	for {
		ids = living(ids)
		if len(ids) == 0 || time.Now().After(deadline) {
			return ids
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func living(ids []ID) []ID {
	var left []ID
	for _, id := range ids {
		if id.Alive() {
			left = append(left, id)
		}
	}
	return left
}

// End asks the groups that the processes lead to end, waits for grace, and then kills what remains.
func End(ids []ID, grace time.Duration) { end(ids, grace, ID.SignalGroup) }

// EndEach does the same to the processes alone, which need not lead a group.
func EndEach(ids []ID, grace time.Duration) { end(ids, grace, ID.Signal) }

func end(ids []ID, grace time.Duration, send func(ID, syscall.Signal) error) {
	for _, id := range ids {
		_ = send(id, syscall.SIGTERM)
	}
	for _, id := range WaitGone(ids, grace) {
		_ = send(id, syscall.SIGKILL)
	}
	WaitGone(ids, 5*time.Second)
}
