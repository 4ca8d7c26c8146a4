package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/testr"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"demarc.dev/demarc/scenarios/ownership-conflict/lab"
)

// start brings up a real API server with the old kind, the current kinds and a stand-in for Argo CD's.
func start(t *testing.T) (*rest.Config, client.Client) {
	t.Helper()
	ctrl.SetLogger(logr.Discard())
	env := &envtest.Environment{
		CRDDirectoryPaths:     []string{"lab", "testdata", "../../charts/demarc/crds"},
		ErrorIfCRDPathMissing: true,
		// A loaded machine takes its time.
		ControlPlaneStartTimeout: 3 * time.Minute,
		CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: 3 * time.Minute},
	}
	config, err := env.Start()
	if err != nil {
		t.Fatalf("start a real API server (KUBEBUILDER_ASSETS, see make test): %v", err)
	}
	t.Cleanup(func() { _ = env.Stop() })
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return config, c
}

// TestConflict runs the old controller and both claims of before/.
func TestConflict(t *testing.T) {
	config, c := start(t)
	if err := apply(t.Context(), c, []byte("{apiVersion: v1, kind: Namespace, metadata: {name: argocd}}")); err != nil {
		t.Fatal(err)
	}
	mgr, err := lab.New(config, lab.Chart{RepoURL: "file:///chart", Path: "chart", Revision: "main"}, testr.New(t))
	if err != nil {
		t.Fatal(err)
	}
	err = while(t.Context(), mgr, func(ctx context.Context) error {
		for _, s := range []struct {
			claim, file string
			wanted      func(*unstructured.Unstructured) (bool, error)
			check       func(*testing.T, client.Client, *unstructured.Unstructured)
		}{
			{"payments", "before/payments.yaml", ready, checkFirst},
			{"refunds", "before/refunds.yaml", refused, checkSecond},
			{"payments", "before/payments.yaml", ready, checkFirst},
		} {
			if err := applyFile(ctx, c, s.file); err != nil {
				return err
			}
			claim := object(oldVersion, "ServiceClaim", "", s.claim)
			if err := await(ctx, c, claim, s.wanted); err != nil {
				return err
			}
			s.check(t, c, claim)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkFirst: the claim is the controller of all four objects, whatever came after it.
func checkFirst(t *testing.T, c client.Client, claim *unstructured.Unstructured) {
	for _, owned := range []*unstructured.Unstructured{
		object("v1", "Namespace", "", namespace),
		object("rbac.authorization.k8s.io/v1", "RoleBinding", namespace, "team-edit"),
		object("v1", "ResourceQuota", namespace, "team-budget"),
		object("argoproj.io/v1alpha1", "Application", lab.ArgoCDNamespace, "payments"),
	} {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(owned), owned); err != nil {
			t.Error(err)
		} else if !metav1.IsControlledBy(owned, claim) {
			t.Errorf("%s %s is not controlled by claim payments: %v", owned.GetKind(), owned.GetName(), owned.GetOwnerReferences())
		}
	}
}

// checkSecond: the two lines to the letter, and no step after the first was tried.
func checkSecond(t *testing.T, c client.Client, claim *unstructured.Unstructured) {
	got, err := lines(claim)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"NamespaceReady=False (NamespaceError) Object /team-payments is already owned by another ServiceClaim controller payments",
		"Ready=False (ResourcesNotReady) one of the claim's resources is not ready",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditions of the second claim (-want +got):\n%s", diff)
	}
	app := object("argoproj.io/v1alpha1", "Application", lab.ArgoCDNamespace, "refunds")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(app), app); !apierrors.IsNotFound(err) {
		t.Errorf("Application refunds: %v, want none", err)
	}
}

// TestCurrentFiles: what after/ applies passes the current kinds' own rules, beside the old kind in one cluster.
func TestCurrentFiles(t *testing.T) {
	_, c := start(t)
	if err := applyFile(t.Context(), client.NewDryRunClient(c), "after/payments.yaml"); err != nil {
		t.Error(err)
	}
}

// TestREADME: the README shows the lines that the scenario demands.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), strings.Join(told, "\n")) {
		t.Errorf("README.md does not show the lines\n%s", strings.Join(told, "\n"))
	}
}
