package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"demarc.dev/demarc/sandbox/argocd"
	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/pki"
	"demarc.dev/demarc/sandbox/programs"
	"demarc.dev/demarc/sandbox/supervisor"
)

// startTime is how long everything may take once the programs are built.
const startTime = 4 * time.Minute

// Up brings a sandbox to run and waits until it is healthy. One that runs is only checked; one that crashed, was stopped, or
// went with a reboot goes on with its data.
func Up(ctx context.Context, o Options) (*Sandbox, error) {
	o = o.withDefaults()
	s, err := find(o.Name)
	if err != nil {
		return nil, err
	}
	set, err := programs.Ensure(ctx, o.Out)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.up(ctx, o, set); err != nil {
		return nil, fmt.Errorf("start sandbox %q: %w", s.name, err)
	}
	return s, nil
}

func (s *Sandbox) up(ctx context.Context, o Options, set programs.Set) error {
	began := time.Now()
	running, err := s.clean()
	if err != nil {
		return err
	}
	if err := s.prepare(o, set, running); err != nil {
		return err
	}
	if err := s.writeFiles(o); err != nil {
		return fmt.Errorf("write certificates and configuration: %w", err)
	}
	if !running {
		if err := s.spawn(ctx); err != nil {
			return err
		}
	}
	if err := s.startPlan(ctx, o.Out); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "sandbox %q is healthy after %s\n", s.name, time.Since(began).Round(100*time.Millisecond))
	return nil
}

// clean ends what a dead supervisor left behind, and tells whether a live one runs.
func (s *Sandbox) clean() (running bool, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return false, err
	}
	state, err := supervisor.ReadState(s.dir)
	if err == nil && state.Supervisor.Alive() {
		return true, nil
	}
	if err := supervisor.Shutdown(s.dir); err != nil {
		return false, err
	}
	if err := os.Remove(filepath.Join(s.dir, "state.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	return false, nil
}

// startPlan starts all components. Argo CD's controller needs a token that only a running API server gives, so that nodes
// and Argo CD's objects are made as soon as that one serves.
func (s *Sandbox) startPlan(ctx context.Context, out io.Writer) error {
	plan := s.plan()
	if err := s.want(plan); err != nil {
		return err
	}
	if err := s.await(ctx, plan[:2], out); err != nil {
		return err
	}
	parallel, ctx := errgroup.WithContext(ctx)
	parallel.Go(func() error { return s.ensureNodes(ctx) })
	if !s.settings.WithoutArgoCD {
		parallel.Go(func() error { return s.installArgoCD(ctx) })
	}
	parallel.Go(func() error { return s.await(ctx, plan[2:], out) })
	return parallel.Wait()
}

// want tells the supervisor the plan, and takes out what an earlier plan held.
func (s *Sandbox) want(plan []component.Component) error {
	for _, c := range plan {
		if err := supervisor.WriteDesired(s.dir, supervisor.Desired{Component: c}); err != nil {
			return fmt.Errorf("tell the supervisor of %s: %w", c.Name, err)
		}
	}
	if s.settings.WithoutArgoCD {
		for _, name := range []string{"redis", "argocd-repo-server", "argocd-application-controller"} {
			if err := supervisor.Remove(s.dir, name); err != nil {
				return err
			}
		}
	}
	return supervisor.Poke(s.dir)
}

// installArgoCD applies Argo CD's objects and gives its controller the kubeconfig that it waits for.
func (s *Sandbox) installArgoCD(ctx context.Context) error {
	config, err := s.RESTConfig()
	if err != nil {
		return err
	}
	if err := argocd.Install(ctx, config, s.settings.Manifests); err != nil {
		return fmt.Errorf("install Argo CD: %w", err)
	}
	path := s.kubeconfigOf(argocd.Account)
	if pki.Serves(path, s.server()) {
		return nil
	}
	token, err := argocd.Token(ctx, config)
	if err != nil {
		return err
	}
	return pki.TokenKubeconfig(s.pkiDir(), argocd.Account, token, s.context(), s.server(), path)
}
