package guardrail

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// What the cluster fills in is judged as if it had been written: a default class belongs
// into the list, or what names none is refused by its name. Templates are not filled in.
func TestDefaultClasses(t *testing.T) {
	c := another(t, []string{"ingress-class", "storage-class", "priority-class", "requests-set"}).Client
	must(t, c.Create(t.Context(), &networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: "public", Annotations: map[string]string{networkingv1.AnnotationIsDefaultIngressClass: "true"}},
		Spec: networkingv1.IngressClassSpec{Controller: "example.com/c"}}))
	must(t, c.Create(t.Context(), &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "premium", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}}, Provisioner: "example.com/p"}))
	must(t, c.Create(t.Context(), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "usual"}, GlobalDefault: true, Value: 1}))
	must(t, c.Create(t.Context(), &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "l", Namespace: "team-a"}, Spec: corev1.LimitRangeSpec{
		Limits: []corev1.LimitRangeItem{{Type: "Container", DefaultRequest: corev1.ResourceList{"cpu": resource.MustParse("1m"), "memory": resource.MustParse("1Mi")}}}}}))
	set := &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: "deny"}, Spec: v1alpha1.GuardrailSetSpec{
		Rules:  []string{"ingress-class", "storage-class", "priority-class", "requests-set"},
		Limits: v1alpha1.GuardrailLimits{IngressClasses: []string{"internal"}, StorageClasses: []string{"standard"}, PriorityClasses: []string{"team-high"}}}}
	must(t, c.Create(t.Context(), set))
	for _, try := range []struct{ rule, words, text string }{
		{"ingress-class", "spec.ingressClassName is public", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec: {rules: [{host: a.example}]}"},
		{"storage-class", "spec.storageClassName is premium", "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: x}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"},
		{"priority-class", "spec.priorityClassName is usual", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: x}]}"},
		// A LimitRange fills in pods, and no template.
		{"requests-set", "spec.template.spec.containers[c].resources.requests.cpu is missing",
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}"},
	} {
		refuses(t, try.rule, "what names no class", try.words, func() error { return attempt(t, c, "team-a", example(t, try.text)) })
	}
	set.Spec.Limits = v1alpha1.GuardrailLimits{IngressClasses: []string{"public"}, StorageClasses: []string{"premium"}, PriorityClasses: []string{"usual"}}
	must(t, c.Update(t.Context(), set))
	for _, text := range []string{
		"apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec: {rules: [{host: a.example}]}",
		"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: x}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: x}]}",
	} {
		passes(t, "with the default class in the list", func() error { return attempt(t, c, "team-a", example(t, text)) })
	}
}

// Large objects and large sets are judged within what the API server spends on a rule.
func TestLarge(t *testing.T) {
	c := another(t, nil).Client
	for _, o := range installed() {
		if strings.HasPrefix(o.GetName(), "demarc-rule-") {
			must(t, c.Create(t.Context(), o))
		}
	}
	holds := guardrail.Holds{Rules: map[string]guardrail.Scope{}, Domains: map[string][]string{"a": {"a.example"}}}
	for _, id := range []string{"image-registry", "env-secret", "foreign-host", "pod-security", "requests-set", "capabilities"} {
		holds.Rules[id] = guardrail.Scope{Teams: []string{"a", id}}
		must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-" + id, Labels: map[string]string{v1alpha1.LabelTenant: id}}}))
	}
	for i := range 128 {
		holds.Limits.Registries = append(holds.Limits.Registries, fmt.Sprintf("registry-%d.example", i))
	}
	for i := range 1000 {
		holds.Domains[fmt.Sprint("team-", i)] = []string{fmt.Sprintf("team-%d.example", i)}
	}
	for _, name := range []string{"deny", "deny-hosts"} {
		must(t, c.Create(t.Context(), &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: holds.Spec()}))
	}
	for id := range holds.Rules {
		if id != "foreign-host" && id != "image-registry" { // these have other examples here
			refuses(t, id, "its bad example", "", func() error {
				return attempt(t, c, "team-"+id, example(t, strings.ReplaceAll(ruleNamed(t, id).Bad, "registry.example/", "registry-1.example/")))
			})
		}
	}
	deployment := example(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: []}}}")
	var containers []any
	for i := range 40 {
		var env []any
		for j := range 40 {
			env = append(env, fields{"name": fmt.Sprint("SETTING_", j), "value": strings.Repeat("x", 100)})
		}
		containers = append(containers, fields{"name": fmt.Sprint("c", i), "image": "registry-127.example/x:1", "env": env, "resources": fields{"requests": fields{"cpu": "1m", "memory": "1Mi"}}})
	}
	deployment.Object["spec"].(fields)["template"].(fields)["spec"].(fields)["containers"] = containers
	must(t, attempt(t, c, "team-a", deployment))
	containers[39].(fields)["image"] = "evil.example/x:1"
	refuses(t, "image-registry", "one of them from elsewhere", "containers[c39].image is evil.example/x:1; images come from registry-0.example, ", func() error { return attempt(t, c, "team-a", deployment) })
	ingress := example(t, "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec: {rules: []}")
	var hosts []any
	for i := range 30 {
		hosts = append(hosts, fields{"host": fmt.Sprintf("host-%d.nobodys.example", i)})
	}
	ingress.Object["spec"].(fields)["rules"] = hosts
	hosts[29].(fields)["host"] = "www.team-999.example"
	refuses(t, "foreign-host", "one of them another team's", "www.team-999.example", func() error { return attempt(t, c, "team-a", ingress) })
	hosts[29].(fields)["host"] = "host-29.nobodys.example"
	must(t, attempt(t, c, "team-a", ingress))
}
