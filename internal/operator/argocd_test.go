package operator_test

import (
	"errors"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/sandbox/programs"
)

// Argo CD absent at the start, coming, and going again is a condition each time
// and never a crash. At the end Demarc's own CRDs go: what was delivered stays.
func TestArgoCDComesAndGoes(t *testing.T) {
	e, err := testenv.Start(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop() })
	prepare(e)
	e.Operator(t, clock.RealClock{})
	team, service := tenant("early"), claim("early", "early")
	create(t, e, team, service)
	ready(t, e, service, "TenantNotReady")
	condition(t, e, team, "ProjectReady", "ArgoCDAbsent")

	installArgoCD(t, e)
	e.StandIn(t)
	ready(t, e, team, "TenantReady")
	ready(t, e, service, "Running")

	for _, name := range argocd.CRDs {
		if err := e.Client.Delete(t.Context(), crd(name)); err != nil {
			t.Fatal(err)
		}
	}
	condition(t, e, team, "ProjectReady", "ArgoCDAbsent")
	condition(t, e, service, "DeliveryReady", "ArgoCDAbsent")
}

func crd(name string) *unstructured.Unstructured {
	return kube.Named(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"), "", name)
}

func installArgoCD(t *testing.T, e *testenv.Env) {
	t.Helper()
	set, err := programs.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = envtest.InstallCRDs(e.Config, envtest.CRDInstallOptions{Paths: []string{filepath.Join(set.Manifests, "crds")}})
	if err != nil {
		t.Fatal(err)
	}
}

// Objects whose CRD is going are let go, not drained: the space stays as it is.
func TestObjectsOfAGoingCRDAreLetGo(t *testing.T) {
	e, err := testenv.Start(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop() })
	prepare(e)
	stop := e.Operator(t, clock.RealClock{})
	e.StandIn(t)
	team, service := tenant("kept"), claim("kept", "kept")
	create(t, e, team, service)
	ready(t, e, service, "Running")

	tenants := crd("tenants." + v1alpha1.GroupName)
	if err := e.Client.Delete(t.Context(), tenants); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() error {
		state, err := kube.CRDState(t.Context(), e.Client, tenants.GetName())
		if err != nil || state == kube.Absent {
			return err
		}
		return errors.New("the CRD is still there")
	})
	stop()
	ns := &corev1.Namespace{}
	if err := e.Client.Get(t.Context(), types.NamespacedName{Name: "team-kept"}, ns); err != nil || ns.DeletionTimestamp != nil {
		t.Errorf("the namespace did not stay: %v %v", err, ns.DeletionTimestamp)
	}
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(service), service); err != nil || service.DeletionTimestamp != nil {
		t.Errorf("the claim did not stay: %v", err)
	}
}
