package cli

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// lockedBuffer is written and read at the same time.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *lockedBuffer) has(words string) error {
	if !strings.Contains(b.String(), words) {
		return fmt.Errorf("it printed %q, want %q", b.String(), words)
	}
	return nil
}
