package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"

	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/scenarios/ownership-conflict/lab"
)

const (
	oldVersion = "lab.demarc.dev/v1"
	oldCRD     = "serviceclaims.lab.demarc.dev"
	namespace  = "team-payments"
)

// before plays the old design: the first service comes up, the second is refused.
func (s *stage) before(ctx context.Context) error {
	s.title("Before: one kind for the team's things and the service's")
	if err := s.installOld(ctx); err != nil {
		return err
	}
	mgr, err := s.oldController(ctx)
	if err != nil {
		return err
	}
	return while(ctx, mgr, func(ctx context.Context) error {
		if err := s.firstService(ctx); err != nil {
			return err
		}
		if err := s.secondService(ctx); err != nil {
			return err
		}
		return s.firstStillRuns(ctx)
	})
}

// while does something with a controller running, and ends the controller after it.
func while(ctx context.Context, mgr ctrl.Manager, do func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	group.Go(func() error { return mgr.Start(ctx) })
	group.Go(func() error {
		defer stop()
		return do(ctx)
	})
	return group.Wait()
}

func (s *stage) installOld(ctx context.Context) error {
	if err := apply(ctx, s.client, lab.CRD); err != nil {
		return err
	}
	crd := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", oldCRD)
	return await(ctx, s.client, crd, func(u *unstructured.Unstructured) (bool, error) {
		found, err := conditions(u)
		return slices.ContainsFunc(found, func(c metav1.Condition) bool { return c.Type == "Established" && c.Status == "True" }), err
	})
}

// oldController delivers through the same chart as the current design: delivery is not what differs.
func (s *stage) oldController(ctx context.Context) (ctrl.Manager, error) {
	repo, err := s.sandbox.Repository(ctx, "lab")
	if err != nil {
		return nil, err
	}
	chart := filepath.Join(s.root, filepath.FromSlash(install.ChartPath))
	commit, err := repo.CommitDir(ctx, "Publish the service chart", chart, install.ChartPath)
	if err != nil {
		return nil, err
	}
	config, err := s.sandbox.RESTConfig()
	if err != nil {
		return nil, err
	}
	return lab.New(config, lab.Chart{RepoURL: repo.URL(), Path: install.ChartPath, Revision: commit}, ctrl.Log)
}

func (s *stage) firstService(ctx context.Context) error {
	if err := applyFile(ctx, s.client, "before/payments.yaml"); err != nil {
		return err
	}
	claim := object(oldVersion, "ServiceClaim", "", "payments")
	if err := await(ctx, s.client, claim, ready); err != nil {
		return err
	}
	s.say("Team payments asks for its first service, ServiceClaim payments:")
	if err := s.show(claim); err != nil {
		return err
	}
	if err := s.showPods(ctx, "payments"); err != nil {
		return err
	}
	return s.showController(ctx)
}

// secondService prints what the second claim's status holds, and compares only then.
func (s *stage) secondService(ctx context.Context) error {
	if err := applyFile(ctx, s.client, "before/refunds.yaml"); err != nil {
		return err
	}
	claim := object(oldVersion, "ServiceClaim", "", "refunds")
	if err := await(ctx, s.client, claim, refused); err != nil {
		return err
	}
	s.say("It asks for one more, ServiceClaim refunds. The API server accepts it without a word, and then:")
	if err := s.show(claim); err != nil {
		return err
	}
	got, err := lines(claim)
	if err == nil && !slices.Equal(got, told) {
		err = fmt.Errorf("the second claim's conditions are not those of the article, which are:\n%s", strings.Join(told, "\n"))
	}
	return err
}

func (s *stage) firstStillRuns(ctx context.Context) error {
	claim := object(oldVersion, "ServiceClaim", "", "payments")
	if err := await(ctx, s.client, claim, ready); err != nil {
		return err
	}
	s.say("The first is as it was, which is why nobody notices:")
	if err := s.show(claim, "Ready"); err != nil {
		return err
	}
	return s.showPods(ctx, "payments")
}

// cleanUp deletes what the old design left. The garbage collector would take the first claim's objects, the whole namespace
// among them; but it needs up to a minute to learn of a new kind.
func (s *stage) cleanUp(ctx context.Context) error {
	s.say("The old version is taken away.")
	for _, old := range []*unstructured.Unstructured{
		object(oldVersion, "ServiceClaim", "", "refunds"),
		object(oldVersion, "ServiceClaim", "", "payments"),
		object("argoproj.io/v1alpha1", "Application", lab.ArgoCDNamespace, "payments"),
		object("v1", "Namespace", "", namespace),
		object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", oldCRD),
	} {
		if err := gone(ctx, s.client, old); err != nil {
			return err
		}
	}
	return nil
}
