package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/sandbox/programs"
	"demarc.dev/demarc/test/auditlog"
	"demarc.dev/demarc/test/chaos/proxy"
)

// ground is a fresh sandbox with Demarc, whose operator reaches the API server through a proxy.
type ground struct {
	sandbox *sandbox.Sandbox
	demarc  *install.Demarc
	proxy   *proxy.Proxy
	// admin is who does what a story tells, and who looks.
	admin client.Client

	mu sync.Mutex
	// outages are when the API server was ended.
	outages []time.Time
}

// auditPolicy asks for the answers to what the operator writes, and to every write of what its order of deletion is about.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: RequestResponse
    users: ["` + auditlog.OperatorUser + `"]
    verbs: [create, update, patch, delete]
  - level: RequestResponse
    verbs: [create, update, patch, delete]
    resources:
      - group: demarc.dev
      - group: argoproj.io
      - group: ""
        resources: [namespaces]
  - level: Metadata
`

// newGround brings one up. An older one of the same name is taken down.
func newGround(ctx context.Context, name string, plan proxy.Plan) (g *ground, err error) {
	if err := sandbox.Down(ctx, name, false); err != nil {
		return nil, err
	}
	g = &ground{}
	g.sandbox, err = sandbox.Up(ctx, sandbox.Options{Name: name, Nodes: 6, AuditPolicy: auditPolicy})
	if err != nil {
		return nil, err
	}
	if err := g.install(ctx, plan); err != nil {
		_ = g.down(ctx) // what went wrong first is said
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	return g, nil
}

func (g *ground) install(ctx context.Context, plan proxy.Plan) error {
	config, err := g.sandbox.RESTConfig()
	if err != nil {
		return err
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return err
	}
	scheme, err := operator.Scheme()
	if err != nil {
		return err
	}
	if g.admin, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	if g.proxy, err = proxy.Start(config.Host, config.CAData, plan); err != nil {
		return err
	}
	root, err := programs.Source()
	if err != nil {
		return err
	}
	g.demarc, err = install.Run(ctx, g.sandbox, install.Options{
		Root: root, Through: &install.Server{URL: g.proxy.URL(), CA: g.proxy.CA()}, Out: io.Discard,
	})
	return err
}

// down outlives an interrupt: processes must not be left.
func (g *ground) down(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(g.sandbox.Down(ctx), g.closeProxy())
}

// keep ends all processes and puts the folder aside, with its logs and data. It says where.
func (g *ground) keep(ctx context.Context, as string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := errors.Join(sandbox.Down(ctx, g.sandbox.Name(), true), g.closeProxy()); err != nil {
		return "", err
	}
	aside := filepath.Join(filepath.Dir(g.sandbox.Dir()), as)
	if err := os.RemoveAll(aside); err != nil {
		return "", err
	}
	return aside, os.Rename(g.sandbox.Dir(), aside)
}

func (g *ground) closeProxy() error {
	if g.proxy == nil {
		return nil
	}
	return g.proxy.Close()
}
