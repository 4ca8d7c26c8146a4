package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/argocd"
	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/sandbox/programs"
)

// played are the components whose work the stand-in does.
var played = []string{"kwok", "kube-scheduler", "kube-controller-manager"}

// ground is a fresh control plane with Demarc and Argo CD's kinds: etcd, the API server and the operator run, nothing else.
type ground struct {
	sandbox *sandbox.Sandbox
	demarc  *install.Demarc
}

func newGround(ctx context.Context, o Options) (*ground, error) {
	if err := sandbox.Down(ctx, o.Name, false); err != nil {
		return nil, err
	}
	s, err := sandbox.Up(ctx, sandbox.Options{Name: o.Name, Nodes: 1, WithoutArgoCD: true})
	if err != nil {
		return nil, err
	}
	g := &ground{sandbox: s}
	if err := g.install(ctx); err != nil {
		_ = g.down(ctx) // what went wrong first is said
		return nil, fmt.Errorf("prepare the control plane: %w", err)
	}
	return g, nil
}

func (g *ground) install(ctx context.Context) error {
	set, err := programs.Find(ctx)
	if err != nil {
		return err
	}
	admin, err := g.sandbox.RESTConfig()
	if err != nil {
		return err
	}
	if err := argocd.Install(ctx, admin, set.Manifests); err != nil {
		return err
	}
	root, err := programs.Source()
	if err != nil {
		return err
	}
	if g.demarc, err = install.Run(ctx, g.sandbox, install.Options{Root: root}); err != nil {
		return err
	}
	for _, name := range played {
		if err := g.sandbox.Stop(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// down outlives an interrupt: processes must not be left.
func (g *ground) down(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return g.sandbox.Down(ctx)
}

// admin connects as administrator, under a name that the audit log shows.
func (g *ground) admin(as actor) (*rest.Config, error) {
	config, err := g.sandbox.RESTConfig()
	if err != nil {
		return nil, err
	}
	config.UserAgent = string(as)
	return config, nil
}

// asOperator connects with the operator's own token: the same authentication, authorization and policies.
func (g *ground) asOperator(as actor) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", g.demarc.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the operator's kubeconfig: %w", err)
	}
	config.QPS, config.Burst, config.UserAgent = -1, -1, string(as)
	return config, nil
}
