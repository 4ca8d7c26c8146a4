// Package parity holds the rules that are evaluated without a cluster against a real API
// server: the same objects, the same requests, and equal verdicts for all of them.
package parity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/testenv"
)

// env is the API server, web speaks to it, and auditLog is where it writes what policies
// found.
var (
	env      *testenv.Env
	web      *http.Client
	auditLog string
)

// teams whose objects are compared. One has a LimitRange and a service account with a
// secret to pull with, one has exceptions.
var teams = []struct {
	name string
	mode v1alpha1.GuardrailMode
}{
	{bare, v1alpha1.GuardrailAudit}, {limited, v1alpha1.GuardrailAudit}, {excepted, v1alpha1.GuardrailAudit},
	{warned, v1alpha1.GuardrailWarn}, {refused, v1alpha1.GuardrailDeny},
}

const (
	bare     = "bare"
	limited  = "limited"
	excepted = "excepted"
	warned   = "warned"
	refused  = "refused"
	// probe is a team for which only the last rule holds.
	probe = "probe"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	code, err := run(m)
	if err != nil {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "demarc-parity-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	auditLog = filepath.Join(dir, "audit.log")
	policy := filepath.Join(dir, "audit.yaml")
	if err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"), 0o600); err != nil {
		return 1, err
	}
	env, err = testenv.Start(false, func(e *envtest.Environment) {
		// The plugin for service accounts is left out by default, and changes every pod.
		e.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", policy).Set("audit-log-path", auditLog).Disable("disable-admission-plugins")
	})
	if err != nil {
		return 1, fmt.Errorf("start a real API server (build the programs with make test): %w", err)
	}
	if web, err = rest.HTTPClientFor(env.Config); err != nil {
		return 1, errors.Join(err, env.Stop())
	}
	code := m.Run()
	return code, env.Stop()
}

// surroundings are what objects are filled in from, in the cluster and in the world.
func surroundings() []client.Object {
	annotated := func(key string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: "usual", Annotations: map[string]string{key: "true"}}
	}
	all := []client.Object{
		&networkingv1.IngressClass{ObjectMeta: annotated(networkingv1.AnnotationIsDefaultIngressClass), Spec: networkingv1.IngressClassSpec{Controller: "example.com/usual"}},
		&storagev1.StorageClass{ObjectMeta: annotated("storageclass.kubernetes.io/is-default-class"), Provisioner: "example.com/usual"},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000},
	}
	all = append(all, namespace(probe))
	for _, team := range teams {
		ns := v1alpha1.NamespaceOf(team.name)
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: ns}}
		all = append(all, namespace(team.name), account)
		if team.name == limited {
			account.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
			all = append(all, &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "limits", Namespace: ns}, Spec: corev1.LimitRangeSpec{
				Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Default: amounts("500m", "256Mi"), DefaultRequest: amounts("50m", "64Mi")}}}})
		}
	}
	return all
}

func amounts(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

func namespace(team string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.NamespaceOf(team), Labels: map[string]string{v1alpha1.LabelTenant: team}}}
}

// prepare makes the surroundings, what teams had before there were rules, the sets and the
// rules, once; it says whether all that is there.
var prepare = sync.OnceValue(func() error {
	ctx := context.Background()
	for _, o := range surroundings() {
		if err := env.Client.Create(ctx, o); err != nil {
			return fmt.Errorf("create %s: %w", o.GetName(), err)
		}
	}
	if err := storeAll(ctx); err != nil {
		return err
	}
	for _, set := range sets() {
		if err := env.Client.Create(ctx, &set); err != nil {
			return fmt.Errorf("create set %s: %w", set.Name, err)
		}
	}
	if err := apply(ctx, shipped()); err != nil {
		return err
	}
	if err := fill(ctx); err != nil {
		return err
	}
	return await(ctx)
})

// fill makes what fills in the pods of teams.
func fill(ctx context.Context) error {
	if err := env.Client.Create(ctx, &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.PlatformName}}); err != nil {
		return err
	}
	objects, err := testenv.Chart("demarc-system", "argocd")
	if err != nil {
		return err
	}
	for _, o := range objects {
		if !strings.HasPrefix(o.GetName(), "demarc-fill-") {
			continue
		}
		if err := env.Client.Create(ctx, o); err != nil {
			return fmt.Errorf("create %s: %w", o.GetName(), err)
		}
	}
	return nil
}

// world is what the same requests meet without a cluster, at a time.
func world(t testing.TB, at time.Time) *offline.World {
	t.Helper()
	w := &offline.World{At: at}
	w.Around.Pods = func(p *corev1.Pod) {
		if team := w.Team(p.Namespace); team != "" {
			guardrail.Fill(p, team, amounts("100m", "128Mi"))
		}
	}
	for _, o := range surroundings() {
		w.Add(decoded(t, o))
	}
	w.Add(parameters(t)...)
	w.Add(ownWorld()...)
	return w
}

// decoded is an object with its kind, as it is read of a file.
func decoded(t testing.TB, o client.Object) runtime.Object {
	t.Helper()
	gvk, err := env.Client.GroupVersionKindFor(o)
	must(t, err)
	o.GetObjectKind().SetGroupVersionKind(gvk)
	raw, err := json.Marshal(o)
	must(t, err)
	read, err := admitted.Decode(raw)
	must(t, err)
	return read
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
