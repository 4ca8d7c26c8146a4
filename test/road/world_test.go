package road

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/testenv"
)

const namespace = "team-shop"

var (
	env *testenv.Env
	// operator is Demarc's own: nobody else writes the sets.
	operator client.Client
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

// run brings up a real API server with all that the install brings, and stand-ins for the
// kinds of others.
func run(m *testing.M) (code int, err error) {
	env, err = testenv.Start(false, func(e *envtest.Environment) {
		e.CRDDirectoryPaths = append(e.CRDDirectoryPaths, filepath.Join("testdata", "crds"))
	})
	if err != nil {
		return 1, fmt.Errorf("start a real API server (build the programs with make test): %w", err)
	}
	as := rest.CopyConfig(env.Config)
	as.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:demarc-system:demarc-operator"}
	if operator, err = client.New(as, client.Options{Scheme: env.Client.Scheme()}); err == nil {
		err = install(context.Background())
	}
	if err == nil {
		code = m.Run()
	}
	if stopped := env.Stop(); err == nil {
		err = stopped
	}
	return code, err
}

func install(ctx context.Context) error {
	objects, err := testenv.Chart("demarc-system", "argocd")
	if err != nil {
		return err
	}
	all := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demarc-system"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{v1alpha1.LabelTenant: "shop"}}},
		&v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.PlatformName}},
	}
	for _, set := range guardrail.Sets(nil, nil, nil) {
		all = append(all, &set)
	}
	for _, o := range objects {
		all = append(all, o)
	}
	for _, o := range all {
		if err := env.Client.Create(ctx, o); err != nil {
			return fmt.Errorf("create %s: %w", o.GetName(), err)
		}
	}
	return env.InForce(ctx)
}

// tenants are the teams whose domains the guardrails know.
var tenants = []v1alpha1.Tenant{{ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: v1alpha1.TenantSpec{Domains: []string{"shop.example"}}}}

// under puts the cluster under a profile of the guardrails: the Platform, the sets and the
// Pod Security level of the namespace; and waits until it holds.
func under(t *testing.T, platform v1alpha1.PlatformSpec, profile v1alpha1.GuardrailProfile) {
	t.Helper()
	platform.Guardrails.Profile = profile
	level := "baseline"
	if profile == v1alpha1.ProfileStrict {
		level = "restricted"
	}
	p := &v1alpha1.Platform{}
	change(t, p, v1alpha1.PlatformName, func() { p.Spec = platform })
	for _, want := range guardrail.Sets(p, tenants, nil) {
		apply, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&want)
		if err != nil {
			t.Fatal(err)
		}
		testenv.Eventually(t, func() error {
			return operator.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: apply}), client.FieldOwner("demarc"), client.ForceOwnership)
		})
	}
	ns := &corev1.Namespace{}
	change(t, ns, namespace, func() { ns.Labels["pod-security.kubernetes.io/enforce"] = level })
	settled(t, platform, profile)
}

func change(t *testing.T, o client.Object, name string, edit func()) {
	t.Helper()
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKey{Name: name}, o); err != nil {
			return err
		}
		edit()
		return env.Client.Update(context.Background(), o)
	})
}

// settled waits until policies see the Platform and the sets as they are now.
func settled(t *testing.T, platform v1alpha1.PlatformSpec, profile v1alpha1.GuardrailProfile) {
	t.Helper()
	root := object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: root}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}},
		spec: {automountServiceAccountToken: false, containers: [{name: a, image: "registry.example/a:1", resources: {requests: {cpu: 1m, memory: 4Mi}, limits: {memory: 4Mi}},
			securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}}]}}}}`)
	testenv.Eventually(t, func() error {
		err := try(root)
		if refused := err != nil; refused != (profile == v1alpha1.ProfileStrict) {
			return fmt.Errorf("under %s an image that may be root: %w", profile, err)
		}
		if platform.SecretStore == nil {
			return nil
		}
		return try(object(t, `{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: probe}, spec: {
			secretStoreRef: {kind: ClusterSecretStore, name: `+platform.SecretStore.Name+`}, dataFrom: [{extract: {key: `+platform.SecretStore.Prefix+`shop/a}}]}}`))
	})
}

// try has the API server judge an object, and keeps nothing. What is misspelled is refused.
func try(o *unstructured.Unstructured) error {
	o = o.DeepCopy()
	o.SetNamespace(namespace)
	return env.Client.Create(context.Background(), o, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
}
