package parity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/manifest"
	"demarc.dev/demarc/internal/snapshot"
)

// shipped are the policies of all rules, as text by file.
func shipped() map[string]string {
	all := map[string]string{}
	for _, r := range guardrail.Catalogue() {
		file, text := r.Compiled()
		all[file] = text
	}
	return all
}

// compiled are policies as they are evaluated without a cluster.
func compiled(t testing.TB, texts map[string]string) *offline.Policies {
	t.Helper()
	var docs []manifest.Doc
	for file, text := range texts {
		read, err := manifest.Parse(file, text)
		must(t, err)
		docs = append(docs, read...)
	}
	source, err := offline.Read(docs)
	must(t, err)
	policies, err := source.Compile()
	must(t, err)
	return policies
}

// apply makes policies in the cluster.
func apply(ctx context.Context, texts map[string]string) error {
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		objects, err := snapshot.Parse([]byte(texts[file]))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range objects {
			if err := env.Client.Create(ctx, o); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// await waits until the rule that was made last refuses its bad example: then all are in
// force, since the API server reads its policies at once and their parameters too.
func await(ctx context.Context) error {
	catalogue := guardrail.Catalogue()
	last := catalogue[len(catalogue)-1]
	bad, err := guardrail.Example(last.Bad)
	if err != nil {
		return err
	}
	bad.SetNamespace(v1alpha1.NamespaceOf(probe))
	deadline := time.Now().Add(3 * time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := env.Client.Create(ctx, bad.DeepCopy(), client.DryRunAll)
		refuses := err != nil && strings.Contains(err.Error(), "denied request: "+last.ID+": ")
		if refuses && filledIn(ctx) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("rule %s does not refuse its bad example, or pods are not filled in: %w", last.ID, err)
		}
		<-tick.C
	}
}

// filledIn reports whether a pod gets all that it is filled in with.
func filledIn(ctx context.Context) bool {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "probe", Namespace: v1alpha1.NamespaceOf(bare)}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}}
	err := env.Client.Create(ctx, pod, client.DryRunAll)
	return err == nil && pod.Labels[v1alpha1.LabelTeam] == bare && pod.Spec.SecurityContext.SeccompProfile != nil && len(pod.Spec.Containers[0].Resources.Requests) == 2
}

// settings are those of a Platform where every rule has the mode of the team, and what the
// rules measure with is such that each of them finds something.
func settings() (*v1alpha1.Platform, []v1alpha1.Tenant) {
	p := &v1alpha1.Platform{}
	g, catalogue := &p.Spec.Guardrails, guardrail.Catalogue()
	domains := map[string][]string{} // of the team that an example is judged for, and of others
	for _, r := range catalogue {
		for team, list := range r.Domains {
			domains[team] = append(domains[team], list...)
		}
		g.Rules = append(g.Rules, v1alpha1.GuardrailRule{ID: r.ID, Mode: v1alpha1.GuardrailOff})
		join(&g.Limits, r.Limits)
	}
	last := catalogue[len(catalogue)-1].ID
	g.Teams = []v1alpha1.TeamGuardrails{{Team: probe, Rules: []v1alpha1.GuardrailRule{{ID: last, Mode: v1alpha1.GuardrailDeny}}}}
	var tenants []v1alpha1.Tenant
	for _, team := range teams {
		own := v1alpha1.TeamGuardrails{Team: team.name}
		for _, r := range catalogue {
			own.Rules = append(own.Rules, v1alpha1.GuardrailRule{ID: r.ID, Mode: team.mode})
		}
		g.Teams = append(g.Teams, own)
		tenants = append(tenants, tenant(team.name, domains["TEAM"]))
	}
	for name, list := range domains {
		if name != "TEAM" {
			tenants = append(tenants, tenant(name, list))
		}
	}
	return p, tenants
}

func tenant(name string, domains []string) v1alpha1.Tenant {
	t := v1alpha1.Tenant{}
	t.Name, t.Spec.Domains = name, domains
	return t
}

// sets are the three that the operator would write.
func sets() []v1alpha1.GuardrailSet {
	p, tenants := settings()
	return guardrail.Sets(p, tenants, exceptions())
}

// join takes over the limits that are set.
func join(into *v1alpha1.GuardrailLimits, from v1alpha1.GuardrailLimits) {
	for _, one := range []struct{ into, from *[]string }{
		{&into.Registries, &from.Registries}, {&into.Labels, &from.Labels}, {&into.IngressClasses, &from.IngressClasses},
		{&into.StorageClasses, &from.StorageClasses}, {&into.PriorityClasses, &from.PriorityClasses},
	} {
		if len(*one.into) == 0 {
			*one.into = *one.from
		}
	}
	for _, one := range []struct{ into, from **int32 }{
		{&into.LimitRatio, &from.LimitRatio}, {&into.Replicas, &from.Replicas}, {&into.GracePeriodSeconds, &from.GracePeriodSeconds},
	} {
		if *one.into == nil {
			*one.into = *one.from
		}
	}
	if into.CPURequest == nil {
		into.CPURequest = from.CPURequest
	}
	if into.MemoryRequest == nil {
		into.MemoryRequest = from.MemoryRequest
	}
}

// parameters are sets as they are handed to policies.
func parameters(t testing.TB) (all []runtime.Object) {
	t.Helper()
	for _, set := range sets() {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&set)
		must(t, err)
		all = append(all, &unstructured.Unstructured{Object: content})
	}
	return all
}

// began is when the tests began: exceptions ended before, or end long after.
var began = time.Now().Truncate(time.Second)

// exceptions of the team that has some: from every third rule one that holds, from every
// third one that has ended, and one more that holds for objects with a label.
func exceptions() []v1alpha1.GuardrailException {
	one := func(name string, ends time.Duration) v1alpha1.GuardrailException {
		e := v1alpha1.GuardrailException{}
		e.Name = name
		e.Spec = v1alpha1.GuardrailExceptionSpec{Team: excepted, Expires: metav1.NewTime(began.Add(ends)), Approval: &v1alpha1.Approval{By: "bo"}}
		return e
	}
	holds, ended, labelled := one("holds", 24*time.Hour), one("ended", -24*time.Hour), one("labelled", 48*time.Hour)
	labelled.Spec.Selector = &v1alpha1.GuardrailSelector{MatchLabels: map[string]v1alpha1.ClaimLabelValue{"app": "web"}}
	for i, r := range guardrail.Catalogue() {
		switch i % 3 {
		case 0:
			holds.Spec.Rules = append(holds.Spec.Rules, r.ID)
		case 1:
			ended.Spec.Rules = append(ended.Spec.Rules, r.ID)
		}
		if i%2 == 0 {
			labelled.Spec.Rules = append(labelled.Spec.Rules, r.ID)
		}
	}
	return []v1alpha1.GuardrailException{holds, ended, labelled}
}
