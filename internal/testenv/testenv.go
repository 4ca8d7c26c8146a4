// Package testenv gives tests a real API server with Demarc's and Argo CD's CRDs, an
// operator in the test's own process, and a stand-in for what a bare API server has
// not: Argo CD, the quota controller and the nodes.
package testenv

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/sandbox/programs"
)

// Env is one API server.
type Env struct {
	Config *rest.Config
	Client client.Client
	// store is the address of its etcd.
	store string
	stop  func() error
}

// Root is the checkout.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Start brings up an API server, set as the caller wants it; the caller stops it.
func Start(withArgoCD bool, settings ...func(*envtest.Environment)) (*Env, error) {
	set, err := programs.Find(context.Background())
	if err != nil {
		return nil, err
	}
	env := &envtest.Environment{
		BinaryAssetsDirectory: set.BinDir,
		CRDDirectoryPaths:     []string{filepath.Join(Root(), "charts", "demarc", "crds")},
		ErrorIfCRDPathMissing: true,
		// A loaded machine takes its time.
		ControlPlaneStartTimeout: 3 * time.Minute,
		ControlPlaneStopTimeout:  3 * time.Minute,
		CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: 3 * time.Minute},
	}
	if withArgoCD {
		env.CRDDirectoryPaths = append(env.CRDDirectoryPaths, filepath.Join(set.Manifests, "crds"))
	}
	for _, set := range settings {
		set(env)
	}
	config, err := env.Start()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	scheme, err := operator.Scheme()
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	return &Env{Config: config, Client: c, store: env.ControlPlane.Etcd.URL.String(), stop: env.Stop}, err
}

// Stop ends the API server.
func (e *Env) Stop() error { return e.stop() }

// Main runs a package's tests on one API server with Argo CD's CRDs.
func Main(m *testing.M, use func(*Env)) {
	ctrl.SetLogger(logr.Discard()) // what matters stands in the conditions
	env, err := Start(true)
	if err != nil {
		println("start a real API server (build the programs with make test):", err.Error())
		os.Exit(1)
	}
	use(env)
	code := m.Run()
	if err := env.Stop(); err != nil {
		println(err.Error())
	}
	os.Exit(code)
}

// Operator runs an operator in this process until the returned function is called.
func (e *Env) Operator(t *testing.T, now clock.PassiveClock) (stop func()) {
	t.Helper()
	return e.Run(t, operator.Options{MetricsAddress: "0", ProbeAddress: "0", Clock: now})
}

// Run runs an operator with options of the test's own.
func (e *Env) Run(t *testing.T, o operator.Options) (stop func()) {
	t.Helper()
	o.SkipNameValidation = true
	ctx, cancel := context.WithCancel(context.Background())
	mgr, err := operator.New(e.Config, o)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the operator ended with: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// Eventually polls until check is nil, for three minutes at most.
func Eventually(t *testing.T, check func() error) {
	t.Helper()
	EventuallyWithin(t, 3*time.Minute, check)
}

// EventuallyWithin polls until check is nil, for so long at most.
func EventuallyWithin(t *testing.T, within time.Duration, check func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still not so after %s: %v", within, err)
		}
		<-tick.C
	}
}
