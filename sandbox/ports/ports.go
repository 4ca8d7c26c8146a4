// Package ports hands out free loopback ports, each to one sandbox: what was handed out is noted in one file per user, under
// a lock, so that sandboxes created at the same moment do not get the same ports.
package ports

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// The range lies below what systems use for outgoing connections, so that a stopped component's port stays free.
const first, last = 20000, 29999

// Pick returns a port for each name. Ports in held are kept where they are still free or, by the word of inUse, the sandbox's
// own. owner is the sandbox's folder: when it is gone its ports are free again.
func Pick(owner string, names []string, held map[string]int, inUse bool) (map[string]int, error) {
	book, unlock, err := open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	book.forget(owner)
	picked := make(map[string]int, len(names))
	for _, name := range names {
		port := held[name]
		if port == 0 || book.Taken[port] != "" || (!inUse && !free(port)) {
			if port, err = book.find(); err != nil {
				return nil, err
			}
		}
		book.Taken[port] = owner
		picked[name] = port
	}
	return picked, book.save()
}

// ledger notes which folder each port belongs to.
type ledger struct {
	path  string
	Taken map[int]string `json:"taken"`
}

func open() (*ledger, func(), error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("demarc-ports-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the folder that notes used ports: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	l := &ledger{path: filepath.Join(dir, "ports.json")}
	text, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		_ = lock.Unlock()
		return nil, nil, fmt.Errorf("read noted ports: %w", err)
	}
	// A damaged note only means that ports are tried anew.
	_ = json.Unmarshal(text, l)
	if l.Taken == nil {
		l.Taken = map[int]string{}
	}
	return l, func() { _ = lock.Unlock() }, nil
}

// forget drops the owner's own entries and those of folders that are gone.
func (l *ledger) forget(owner string) {
	for port, dir := range l.Taken {
		if _, err := os.Stat(dir); dir == owner || errors.Is(err, os.ErrNotExist) {
			delete(l.Taken, port)
		}
	}
}

func (l *ledger) find() (int, error) {
	const size = last - first + 1
	start := rand.IntN(size)
	for i := range size {
		port := first + (start+i)%size
		if l.Taken[port] == "" && free(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port between %d and %d on 127.0.0.1", first, last)
}

func (l *ledger) save() error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.path+".new", text, 0o600); err != nil {
		return fmt.Errorf("note used ports: %w", err)
	}
	return os.Rename(l.path+".new", l.path)
}

func free(port int) bool {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}
