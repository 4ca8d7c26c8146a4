package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/argocd"
	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/sandbox/programs"
	"demarc.dev/demarc/test/poll"
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
	if err := awaitSets(ctx, admin); err != nil {
		return err
	}
	for _, name := range played {
		if err := g.sandbox.Stop(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// awaitSets waits until the operator has written what the guardrails read: without it a
// plain client could write nothing into a team's namespace.
func awaitSets(ctx context.Context, config *rest.Config) error {
	scheme, err := operator.Scheme()
	if err != nil {
		return err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	return poll.Until(ctx, 200*time.Millisecond, time.Minute, "the operator writes the GuardrailSets", func(ctx context.Context) (bool, error) {
		for _, name := range guardrail.SetNames() {
			if err := c.Get(ctx, client.ObjectKey{Name: name}, &v1alpha1.GuardrailSet{}); err != nil {
				return false, err
			}
		}
		return true, nil
	})
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
