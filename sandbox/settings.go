package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/ports"
	"demarc.dev/demarc/sandbox/programs"
)

// settings are what a sandbox keeps over restarts.
type settings struct {
	BinDir        string         `json:"binDir,omitempty"`
	Manifests     string         `json:"manifests,omitempty"`
	Nodes         int            `json:"nodes,omitempty"`
	WithoutArgoCD bool           `json:"withoutArgoCD,omitempty"`
	Ports         map[string]int `json:"ports,omitempty"`
	RedisPassword string         `json:"redisPassword,omitempty"`
	// Attached is the kubeconfig of a cluster that is not the sandbox's own.
	Attached string `json:"attached,omitempty"`
}

func (s *Sandbox) settingsFile() string { return filepath.Join(s.dir, "settings.json") }

// load reads the settings.
func (s *Sandbox) load() error {
	text, err := os.ReadFile(s.settingsFile())
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: there is no sandbox %q; start it with: demarc-sandbox up --name %s", ErrNotRunning, s.name, s.name)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &s.settings); err != nil {
		return fmt.Errorf("%s is damaged (demarc-sandbox down --name %s removes it): %w", s.settingsFile(), s.name, err)
	}
	return nil
}

func (s *Sandbox) save() error {
	text, err := json.MarshalIndent(s.settings, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(s.settingsFile(), string(text)+"\n")
}

// prepare brings the settings up to what is asked. Ports stay what they were; those of a stopped sandbox only where they are
// still free.
func (s *Sandbox) prepare(o Options, set programs.Set, running bool) error {
	if err := s.load(); err != nil && !errors.Is(err, ErrNotRunning) {
		return err
	}
	if s.settings.Attached != "" {
		return fmt.Errorf("sandbox %q is attached to the cluster of %s: choose another name, or take it down first", s.name, s.settings.Attached)
	}
	s.settings.BinDir, s.settings.Manifests = set.BinDir, set.Manifests
	s.settings.Nodes, s.settings.WithoutArgoCD = o.Nodes, o.WithoutArgoCD
	if s.settings.RedisPassword == "" {
		s.settings.RedisPassword = rand.Text()
	}
	picked, err := ports.Pick(s.dir, component.PortNames(), s.settings.Ports, running)
	if err != nil {
		return fmt.Errorf("pick ports: %w", err)
	}
	s.settings.Ports = picked
	return s.save()
}

// plan is the list of components that the settings ask for.
func (s *Sandbox) plan() []component.Component {
	return component.Plan(component.Config{
		Dir: s.dir, BinDir: s.settings.BinDir, Self: s.self(), Ports: s.settings.Ports,
		RedisPassword: s.settings.RedisPassword, WithoutArgoCD: s.settings.WithoutArgoCD,
	})
}

// DryRun returns the plan of a sandbox as text and starts nothing. Of one that never ran, the ports are examples.
func DryRun(ctx context.Context, o Options) (string, error) {
	o = o.withDefaults()
	s, err := find(o.Name)
	if err != nil {
		return "", err
	}
	if err := s.load(); err != nil && !errors.Is(err, ErrNotRunning) {
		return "", err
	}
	set, err := programs.Find(ctx)
	if err != nil {
		return "", err
	}
	s.settings.BinDir, s.settings.WithoutArgoCD = set.BinDir, o.WithoutArgoCD
	if s.settings.Ports == nil {
		s.settings.Ports = map[string]int{}
		for i, name := range component.PortNames() {
			s.settings.Ports[name] = 20001 + i
		}
	}
	return component.Render(s.plan()), nil
}

// lock keeps two commands from working on one sandbox. The file lies outside the folder, which down removes.
func (s *Sandbox) lock(ctx context.Context) (func(), error) {
	l := flock.New(filepath.Join(filepath.Dir(s.dir), "."+s.name+".lock"))
	if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another command works on sandbox %q: %w", s.name, err)
	}
	return func() { _ = l.Unlock() }, nil
}

// writeFile writes aside and renames.
func writeFile(path, text string) error {
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
