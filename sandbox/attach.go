package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Attach makes a sandbox without a control plane of its own: a supervisor for processes beside the cluster of a kubeconfig.
func Attach(ctx context.Context, name, kubeconfig string) (*Sandbox, error) {
	s, err := find(name)
	if err != nil {
		return nil, err
	}
	if kubeconfig, err = filepath.Abs(kubeconfig); err != nil {
		return nil, err
	}
	if _, err := os.Stat(kubeconfig); err != nil {
		return nil, fmt.Errorf("attach to a cluster: %w", err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s.load() == nil && s.settings.Attached != kubeconfig {
		return nil, fmt.Errorf("sandbox %q exists and is not attached to %s: choose another name", s.name, kubeconfig)
	}
	running, err := s.clean()
	if err != nil {
		return nil, err
	}
	s.settings = settings{Attached: kubeconfig}
	if err := s.save(); err != nil {
		return nil, err
	}
	if running {
		return s, nil
	}
	return s, s.spawn(ctx)
}
