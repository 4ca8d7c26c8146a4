package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/testenv"
)

// narrowed is the shipped contract with parts of kinds given to others: two fields of
// Deployments, the ConfigMaps of one label but the one of a name, and more Secrets by name
// than CEL nests conditions. NetworkPolicies are the team's, ReplicationControllers nobody's.
func narrowed() *v1alpha1.OwnershipContract {
	spec := contract.Default().Spec.DeepCopy()
	p, team := v1alpha1.PartyPlatform, v1alpha1.PartyTeam
	guard := v1alpha1.ContractDomain{Name: "guarded-parts", Title: "Parts", Creates: p, Modifies: p, Approves: p, Monitors: p, Paged: p, Deletes: p, ChangePath: v1alpha1.PathBoth,
		Resources: []v1alpha1.ContractResource{
			{Group: "apps", Kinds: []string{"Deployment"}, Fields: []string{"spec.replicas", "spec.template.spec.nodeSelector"}},
			{Kinds: []string{"ConfigMap"}, Label: "tier=platform"},
			{Kinds: []string{"ConfigMap"}, Name: "trusted-ca"},
		}}
	for n := range 3 {
		more := v1alpha1.ContractDomain{Name: fmt.Sprintf("guarded-more-%d", n), Title: "More", Creates: p, Modifies: p, Approves: p, Monitors: p, Paged: p, Deletes: p, ChangePath: v1alpha1.PathBoth}
		for i := range 120 {
			more.Resources = append(more.Resources, v1alpha1.ContractResource{Kinds: []string{"Secret"}, Name: fmt.Sprintf("kept-%d", 120*n+i)})
		}
		spec.Domains = append(spec.Domains, more)
	}
	theirs := v1alpha1.ContractDomain{Name: "their-parts", Title: "Theirs", Creates: team, Modifies: team, Approves: team, Monitors: team, Paged: team, Deletes: team, ChangePath: v1alpha1.PathBoth,
		Resources: []v1alpha1.ContractResource{{Kinds: []string{"ConfigMap"}, Name: "app-settings"}, {Group: "networking.k8s.io", Kinds: []string{"NetworkPolicy"}}}}
	for i := range spec.Domains {
		d := &spec.Domains[i]
		var left []v1alpha1.ContractResource
		for _, r := range d.Resources {
			if r.Group == "networking.k8s.io" && r.Kinds[0] == "NetworkPolicy" {
				continue
			}
			if len(r.Kinds) == 2 && r.Kinds[1] == "ReplicationController" {
				r.Kinds = r.Kinds[:1]
			}
			left = append(left, r)
		}
		d.Resources = left
	}
	spec.Domains = append(spec.Domains, guard, theirs)
	return &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec}
}

// shareGuarded installs the chart's policy that guards what Demarc keeps.
func shareGuarded(t *testing.T) {
	t.Helper()
	all, err := testenv.Chart("demarc-system", "argocd")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.GetName() == "demarc-platform-share" {
			create(t, env, o)
			t.Cleanup(func() { _ = env.Client.Delete(context.Background(), o) })
		}
	}
}

// What is guarded is guarded on every way on which it is written, and nothing else is.
func TestBoundaryOfParts(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := tenant("parts")
	create(t, env, team)
	ready(t, env, team, "TenantReady")
	c, ns := stray(t, "parts-stray"), "team-parts"
	deployment := func() *appsv1.Deployment {
		labels := map[string]string{"app": "web"}
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web"}, Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				NodeSelector: map[string]string{"pool": "small"}, Containers: []corev1.Container{{Name: "web", Image: "nginx"}}}}}}
	}
	settings := func(name, tier string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{"tier": tier}}}
	}
	secret := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	}
	shareGuarded(t)
	create(t, env, deployment(), settings("app-settings", "platform"), settings("kept", "platform"))
	agreed := narrowed()
	create(t, env, agreed)
	t.Cleanup(func() { _ = env.Client.Delete(context.Background(), agreed) })
	testenv.Eventually(t, func() error { return refusedAs(c.Create(t.Context(), settings("trusted-ca", "")), "guarded-parts") })
	condition(t, env, agreed, "Ready", "ContractReady")

	patch := func(o client.Object, body string) error {
		return c.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(body)))
	}
	silent := deployment()
	silent.Name, silent.Spec.Replicas, silent.Spec.Template.Spec.NodeSelector = "silent", nil, nil
	picky := deployment()
	picky.Name = "picky"
	scaled := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web"}, Spec: autoscalingv1.ScaleSpec{Replicas: 5}}
	for what, err := range map[string]error{
		"a field taken off":           patch(deployment(), `{"spec":{"template":{"spec":{"nodeSelector":null}}}}`),
		"a field changed":             patch(deployment(), `{"spec":{"template":{"spec":{"nodeSelector":{"pool":"large"}}}}}`),
		"replicas":                    patch(deployment(), `{"spec":{"replicas":3}}`),
		"replicas by the subresource": c.SubResource("scale").Update(t.Context(), deployment(), client.WithSubResourceBody(scaled)),
		"a field at creation":         c.Create(t.Context(), picky),
		"the label taken off":         patch(settings("kept", ""), `{"metadata":{"labels":{"tier":null}}}`),
		"a deletion":                  c.Delete(t.Context(), settings("kept", "")),
	} {
		if err := refusedAs(err, "guarded-parts"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := refusedAs(c.Create(t.Context(), secret("kept-359")), "guarded-more-2"); err != nil {
		t.Errorf("the last of very many entries: %v", err)
	}
	old := &corev1.ReplicationController{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "old"}, Spec: corev1.ReplicationControllerSpec{
		Replicas: ptr.To(int32(0)), Selector: map[string]string{"app": "web"}, Template: &deployment().Spec.Template}}
	if err := refusedAs(c.Create(t.Context(), old), "unlisted"); err != nil {
		t.Errorf("what no domain covers: %v", err)
	}
	// What the contract before kept is kept until the roles have followed.
	testenv.Eventually(t, func() error {
		return c.Create(t.Context(), &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "theirs"}})
	})
	for what, err := range map[string]error{
		"another field":                patch(deployment(), `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}`),
		"what the API server fills in": c.Create(t.Context(), silent),
		"the closer entry":             patch(settings("app-settings", ""), `{"data":{"a":"b"}}`),
		"an object of another name":    c.Create(t.Context(), secret("mine")),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	// What Demarc keeps stays guarded whoever owns the kind.
	testenv.Eventually(t, func() error {
		kept := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "demarc-isolation"}}
		if err := patch(kept, `{"metadata":{"annotations":{"tried":"yes"}}}`); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "have the Tenant changed instead") {
			return fmt.Errorf("the isolation that Demarc keeps is not guarded: %w", err)
		}
		return nil
	})
}
