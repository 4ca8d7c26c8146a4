// Package sandbox runs a real Kubernetes control plane, simulated nodes and a real Argo CD as plain processes on loopback,
// for demonstrations and tests: no container, no root, no download beyond Go modules. Several sandboxes run side by side,
// each in a folder of its own.
//
// Up builds the programs (package programs), makes certificates (pki) and a plan (component), starts a supervisor that runs
// the plan (supervisor), and then installs nodes and Argo CD (argocd) through the API.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"demarc.dev/demarc/sandbox/gitrepo"
	"demarc.dev/demarc/sandbox/supervisor"
)

// DefaultName is the sandbox that commands mean when none is named.
const DefaultName = "demo"

// Options say what a sandbox is made of.
type Options struct {
	// Name picks the sandbox; empty means DefaultName.
	Name string
	// Nodes is the number of simulated nodes; zero means three.
	Nodes int
	// WithoutArgoCD leaves Argo CD out.
	WithoutArgoCD bool
	// AuditPolicy is the API server's; empty means every request, without bodies.
	AuditPolicy string
	// Out takes the progress; nil means silence.
	Out io.Writer
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Nodes == 0 {
		o.Nodes = 3
	}
	if o.AuditPolicy == "" {
		o.AuditPolicy = auditPolicy
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	return o
}

// Sandbox is one set of processes with its folder.
type Sandbox struct {
	name     string
	dir      string
	settings settings
}

// Open returns a running sandbox.
func Open(name string) (*Sandbox, error) {
	s, err := find(name)
	if err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	state, err := supervisor.ReadState(s.dir)
	if err != nil {
		return nil, err
	}
	if !state.Supervisor.Alive() {
		return nil, fmt.Errorf("%w: sandbox %q; start it with: demarc-sandbox up --name %s", ErrNotRunning, name, name)
	}
	return s, nil
}

// ErrNotRunning is the error of Open for a sandbox that is absent or stopped.
var ErrNotRunning = errors.New("not running")

// Name is the sandbox's name.
func (s *Sandbox) Name() string { return s.name }

// Dir is the folder that holds everything of the sandbox.
func (s *Sandbox) Dir() string { return s.dir }

// BinDir holds kubectl, helm and the other programs. It is empty for an attached sandbox.
func (s *Sandbox) BinDir() string { return s.settings.BinDir }

// Kubeconfig is the path of the administrator's kubeconfig.
func (s *Sandbox) Kubeconfig() string {
	if s.settings.Attached != "" {
		return s.settings.Attached
	}
	return filepath.Join(s.dir, "kubeconfig")
}

// RESTConfig connects as administrator, with no limit on the client's side.
func (s *Sandbox) RESTConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of sandbox %q: %w", s.name, err)
	}
	config.QPS, config.Burst = -1, -1
	return config, nil
}

// Repository opens the sandbox's bare Git repository of that name, and makes it if it is absent.
func (s *Sandbox) Repository(ctx context.Context, name string) (*gitrepo.Repository, error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("repository name %q: %w", name, errName)
	}
	return gitrepo.Open(ctx, filepath.Join(s.dir, "git", name+".git"))
}

var (
	validName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	errName   = errors.New("want at most 40 small letters, digits and inner dashes")
)

// Root is the folder of all sandboxes: DEMARC_STATE, or a folder in the user's cache.
func Root() (string, error) {
	if dir := os.Getenv("DEMARC_STATE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set DEMARC_STATE): %w", err)
	}
	return filepath.Join(dir, "demarc", "sandboxes"), nil
}

// find names a sandbox's folder, which need not exist. Links are followed, because processes are found by this path.
func find(name string) (*Sandbox, error) {
	if name == "" {
		name = DefaultName
	}
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("sandbox name %q: %w", name, errName)
	}
	root, err := Root()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of sandboxes: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	return &Sandbox{name: name, dir: filepath.Join(root, name)}, nil
}
