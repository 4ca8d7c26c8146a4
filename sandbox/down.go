package sandbox

import (
	"context"
	"fmt"
	"os"

	"demarc.dev/demarc/sandbox/supervisor"
)

// Down ends every process of a sandbox, also when its supervisor is dead, and removes its folder unless keep is set. A
// sandbox that does not exist is down already.
func Down(ctx context.Context, name string, keep bool) error {
	s, err := find(name)
	if err != nil {
		return err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := supervisor.Shutdown(s.dir); err != nil {
		return fmt.Errorf("stop sandbox %q: %w", s.name, err)
	}
	if keep {
		return nil
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the folder of sandbox %q: %w", s.name, err)
	}
	return nil
}

// Down ends the sandbox and removes its folder.
func (s *Sandbox) Down(ctx context.Context) error { return Down(ctx, s.name, false) }
