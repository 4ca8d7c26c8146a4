package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/testenv"
)

// stray is a client of somebody to whom a binding outside Demarc gives all there is in
// namespaces: RBAC refuses nothing of it.
func stray(t *testing.T, name string, groups ...string) client.Client {
	t.Helper()
	create(t, env,
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"", "networking.k8s.io", "rbac.authorization.k8s.io", "apps"}, Resources: []string{"*"}, Verbs: []string{"*"}}}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}}})
	config := rest.CopyConfig(env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: append(groups, "system:authenticated")}
	c, err := client.New(config, client.Options{Scheme: env.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() error { return c.List(t.Context(), &corev1.ConfigMapList{}) })
	return c
}

// refusedAs wants a request to be refused on account of a domain.
func refusedAs(err error, domain string) error {
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "domain "+domain+" of the ownership contract") {
		return fmt.Errorf("it is not refused on account of %s: %v", domain, err)
	}
	return nil
}

// What the contract says is the platform's stays the platform's for who holds every
// right, what is the team's stays the team's, and a change of one answer changes that.
func TestBoundaryFollowsTheContract(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := tenant("bound")
	create(t, env, team)
	ready(t, env, team, "TenantReady")
	c, ns := stray(t, "bound-stray"), "team-bound"
	policy := func(name string) *networkingv1.NetworkPolicy {
		return &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	}
	service := func(name string, ips ...string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}, ExternalIPs: ips}}
	}
	settings := func(name string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	}
	testenv.Eventually(t, func() error { return refusedAs(c.Create(t.Context(), policy("open")), "security-policies") })
	refusals := map[string]struct {
		err    error
		domain string
	}{
		"another isolation": {c.Create(t.Context(), policy("wide")), "security-policies"},
		"another limit":     {c.Create(t.Context(), &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "more"}}), "resource-quotas"},
		"an external IP":    {c.Create(t.Context(), service("grab", "192.0.2.1")), "security-policies"},
	}
	for what, r := range refusals {
		if err := refusedAs(r.err, r.domain); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, err := range map[string]error{
		"a ConfigMap":      c.Create(t.Context(), settings("mine")),
		"a Service":        c.Create(t.Context(), service("mine")),
		"a ServiceAccount": c.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "mine"}}),
		"as administrator": env.Client.Create(t.Context(), policy("by-the-platform")),
		"somewhere else":   c.Create(t.Context(), &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bound"}}),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}

	spec := contract.Default().Spec.DeepCopy()
	for i := range spec.Domains {
		if d := &spec.Domains[i]; d.Name == "configmaps" {
			d.Creates, d.Modifies, d.Deletes = v1alpha1.PartyPlatform, v1alpha1.PartyPlatform, v1alpha1.PartyPlatform
		}
	}
	agreed := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec}
	create(t, env, agreed)
	t.Cleanup(func() { _ = env.Client.Delete(context.Background(), agreed) })
	testenv.Eventually(t, func() error { return refusedAs(c.Update(t.Context(), settings("mine")), "configmaps") })
	condition(t, env, agreed, "Ready", "ContractReady")
	testenv.Eventually(t, func() error { return edits(t, "configmaps", false) })
	testenv.Eventually(t, func() error { return edits(t, "secrets", true) })
}

// edits says whether the role edit may create a kind.
func edits(t *testing.T, resource string, want bool) error {
	t.Helper()
	role, has := &rbacv1.ClusterRole{}, false
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "demarc:edit"}, role); err != nil {
		return err
	}
	for _, r := range role.Rules {
		has = has || r.Resources[0] == resource && strings.Contains(strings.Join(r.Verbs, " "), "create")
	}
	if has != want {
		return fmt.Errorf("demarc:edit creates %s: %v", resource, has)
	}
	return nil
}

// A contract that contradicts itself changes nothing, and says what is wrong.
func TestInvalidContractChangesNothing(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	testenv.Eventually(t, func() error { return edits(t, "configmaps", true) })
	spec := contract.Default().Spec.DeepCopy()
	first := &spec.Domains[0]
	first.Resources = append(first.Resources, v1alpha1.ContractResource{Kinds: []string{"ConfigMap"}, Read: v1alpha1.TeamNobody})
	agreed := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec}
	create(t, env, agreed)
	t.Cleanup(func() { _ = env.Client.Delete(context.Background(), agreed) })
	said := condition(t, env, agreed, "Ready", "ContractInvalid")
	if !strings.Contains(said.Message, "ConfigMap") || !strings.Contains(said.Message, "control-plane") {
		t.Errorf("it says %q", said.Message)
	}
	if err := edits(t, "configmaps", true); err != nil {
		t.Error(err)
	}
}

// While one contract follows another nobody gets what neither gives: what only the new one
// lets be made by hand, but of that name keeps for the platform, is never made.
func TestContractFollowsWithoutAGap(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := tenant("gapless")
	create(t, env, team)
	ready(t, env, team, "TenantReady")
	configMaps := func(path v1alpha1.ChangePath, more ...v1alpha1.ContractDomain) v1alpha1.OwnershipContractSpec {
		spec := contract.Default().Spec.DeepCopy()
		for i := range spec.Domains {
			if d := &spec.Domains[i]; d.Name == "configmaps" {
				d.ChangePath = path
			}
		}
		spec.Domains = append(spec.Domains, more...)
		return *spec
	}
	agreed := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: configMaps(v1alpha1.PathGit)}
	create(t, env, agreed)
	t.Cleanup(func() { _ = env.Client.Delete(context.Background(), agreed) })
	condition(t, env, agreed, "Compiled", "Compiled")

	config := rest.CopyConfig(env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "ann", Groups: []string{"team-gapless", "system:authenticated"}}
	ann, err := client.New(config, client.Options{Scheme: env.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	settings := func(name string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-gapless", Name: name}}
	}
	if err := ann.Create(t.Context(), settings("mine")); !apierrors.IsForbidden(err) {
		t.Fatalf("with the path git a ConfigMap is made by hand: %v", err)
	}
	p := v1alpha1.PartyPlatform
	kept := v1alpha1.ContractDomain{Name: "authorities", Title: "Authorities", Creates: p, Modifies: p, Approves: p, Monitors: p, Paged: p, Deletes: p, ChangePath: v1alpha1.PathBoth,
		Resources: []v1alpha1.ContractResource{{Kinds: []string{"ConfigMap"}, Name: "trusted-ca"}}}
	live := &v1alpha1.OwnershipContract{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: v1alpha1.ContractName}, live); err != nil {
		t.Fatal(err)
	}
	live.Spec = configMaps(v1alpha1.PathBoth, kept)
	if err := env.Client.Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() error {
		for range 20 {
			if err := ann.Create(t.Context(), settings("trusted-ca")); !apierrors.IsForbidden(err) {
				t.Fatalf("what is the platform's was made: %v", err)
			}
		}
		return ann.Create(t.Context(), settings("mine"))
	})
	condition(t, env, live, "Compiled", "Compiled")
}

// A contract that contradicts itself leaves the one before in force: what is taken out of
// it is put back.
func TestInvalidContractIsNoGap(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	spec := contract.Default().Spec.DeepCopy()
	for i := range spec.Domains {
		if d := &spec.Domains[i]; d.Name == "configmaps" {
			d.Creates, d.Modifies, d.Deletes = v1alpha1.PartyPlatform, v1alpha1.PartyPlatform, v1alpha1.PartyPlatform
		}
	}
	agreed := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec}
	create(t, env, agreed)
	t.Cleanup(func() { _ = env.Client.Delete(context.Background(), agreed) })
	condition(t, env, agreed, "Compiled", "Compiled")
	live := &v1alpha1.OwnershipContract{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: v1alpha1.ContractName}, live); err != nil {
		t.Fatal(err)
	}
	live.Spec.Domains[0].Resources = append(live.Spec.Domains[0].Resources, v1alpha1.ContractResource{Kinds: []string{"ConfigMap"}, Read: v1alpha1.TeamNobody})
	if err := env.Client.Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	condition(t, env, live, "Ready", "ContractInvalid")
	for _, o := range []client.Object{
		&admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "demarc-boundary"}},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "demarc:edit"}},
	} {
		if err := env.Client.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		testenv.Eventually(t, func() error { return env.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o) })
	}
	testenv.Eventually(t, func() error { return edits(t, "configmaps", false) })
}
