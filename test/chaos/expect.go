package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// expect is the state that a cluster must come to when this is asked for and nothing disturbs it. UIDs are those of the
// Tenants and claims that are there.
func expect(w world, settings render.Settings, uids map[key]types.UID) (state, error) {
	out := state{}
	for _, o := range render.Roles(contract.Default()) {
		out[keyOf(o)] = rendered(o)
	}
	for _, o := range w.strangers() {
		out[keyOf(o)] = normal(o.(*unstructured.Unstructured))
	}
	for _, t := range w.tenants() {
		if err := out.tenant(w, settings, uids, t.DeepCopy()); err != nil {
			return nil, err
		}
	}
	for _, c := range w.claims() {
		if err := out.claim(w, settings, uids, c.DeepCopy()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// way is what stands in a Tenant's way.
type way string

const (
	free             way = ""
	namespaceIsTaken way = "NamespaceTaken"
	projectIsTaken   way = "ProjectTaken"
)

func (w world) way(team string) way {
	switch {
	case w[keyOf(strangeNamespace(team))] != nil:
		return namespaceIsTaken
	case w[keyOf(strangeProject(team))] != nil:
		return projectIsTaken
	default:
		return free
	}
}

func (s state) tenant(w world, settings render.Settings, uids map[key]types.UID, t *v1alpha1.Tenant) error {
	t.UID, t.Finalizers = uids[keyOf(t)], []string{v1alpha1.FinalizerTenant}
	space, err := render.Tenant(t, settings)
	if err != nil {
		return fmt.Errorf("render Tenant %s: %w", t.Name, err)
	}
	s[keyOf(t)] = asked(t, &t.Spec, 0, tenantSays(t, w.way(t.Name)))
	for _, o := range space.All() {
		if w.way(t.Name) == namespaceIsTaken || w[keyOf(o)] != nil {
			continue
		}
		s[keyOf(o)] = rendered(o)
	}
	return nil
}

// tenantSays are the conditions of a Tenant that has come as far as it can.
func tenantSays(t *v1alpha1.Tenant, in way) []metav1.Condition {
	quota := "QuotaReady"
	if t.Spec.Resources == nil {
		quota = "NoBudget"
	}
	out := []metav1.Condition{
		yes(readiness.NamespaceReady, "NamespaceReady"), yes(readiness.AccessReady, "AccessReady"),
		yes(readiness.QuotaReady, quota), yes(readiness.ProjectReady, "ProjectReady"), yes(readiness.Ready, "TenantReady"),
	}
	switch in {
	case namespaceIsTaken:
		const waits = "WaitingForNamespace"
		out = []metav1.Condition{
			no(readiness.NamespaceReady, string(in)), no(readiness.AccessReady, waits), no(readiness.QuotaReady, waits),
			no(readiness.ProjectReady, waits), no(readiness.Ready, string(in)), yes(readiness.Stalled, string(in)),
		}
	case projectIsTaken:
		out = append(out[:3], no(readiness.ProjectReady, string(in)), no(readiness.Ready, string(in)), yes(readiness.Stalled, string(in)))
	}
	return out
}

func (s state) claim(w world, settings render.Settings, uids map[key]types.UID, c *v1alpha1.ServiceClaim) error {
	c.UID = uids[keyOf(c)]
	waits := ""
	switch {
	case w.tenant(c.Spec.Team) == nil:
		waits = "TenantNotFound"
	case w.way(c.Spec.Team) != free:
		waits = "TenantNotReady"
	}
	if waits != "" {
		s[keyOf(c)] = asked(c, &c.Spec, 0, []metav1.Condition{
			no(readiness.TenantReady, waits), no(readiness.DeliveryReady, "WaitingForTenant"),
			no(readiness.WorkloadReady, "WaitingForDelivery"), no(readiness.Ready, waits), yes(readiness.Reconciling, waits),
		})
		return nil
	}
	return s.delivered(settings, c)
}

func (s state) delivered(settings render.Settings, c *v1alpha1.ServiceClaim) error {
	c.Finalizers = []string{v1alpha1.FinalizerClaim}
	replicas, runs := render.Replicas(c), "Running"
	if replicas == 0 {
		runs = "ScaledToZero"
	}
	s[keyOf(c)] = asked(c, &c.Spec, 0, []metav1.Condition{
		yes(readiness.TenantReady, "TenantReady"), yes(readiness.DeliveryReady, "Delivered"),
		yes(readiness.WorkloadReady, runs), yes(readiness.Ready, runs),
	})
	app, err := render.Application(c, settings)
	if err != nil {
		return fmt.Errorf("render claim %s: %w", c.Name, err)
	}
	s[keyOf(app)] = rendered(app)
	var env []string
	for _, e := range c.Spec.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	s[key{deploymentKind, v1alpha1.NamespaceOf(c.Spec.Team), c.Name}] = running(c.Spec.Image, replicas, replicas, env)
	if c.Spec.Port != nil {
		s[key{serviceKind, v1alpha1.NamespaceOf(c.Spec.Team), c.Name}] = map[string]any{}
	}
	return nil
}

func yes(kind, reason string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason}
}

func no(kind, reason string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: reason}
}

// differences between what should be and what is, in words; empty where there are none.
func differences(want, got state) []string {
	var out []string
	for _, k := range slices.SortedFunc(maps.Keys(union(want, got)), key.compare) {
		w, wanted := want[k]
		g, there := got[k]
		switch {
		case !wanted:
			out = append(out, fmt.Sprintf("%s is there and should not be", k))
		case !there:
			out = append(out, fmt.Sprintf("%s is missing", k))
		default:
			if diff := cmp.Diff(w, g); diff != "" {
				out = append(out, fmt.Sprintf("%s (-should be, +is):\n%s", k, diff))
			}
		}
	}
	return out
}

func union(a, b state) state {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// orphans are what is left of an owner that is gone.
func (s *sight) orphans(w world) []string {
	var out []string
	for k, by := range s.owned {
		if !s.owners[by] {
			out = append(out, fmt.Sprintf("%s belongs to %s, which is gone", k, by))
		}
	}
	for k := range s.state {
		team, ofTeam := strings.CutPrefix(k.name, v1alpha1.NamespacePrefix)
		if k.Kind == "Namespace" && ofTeam && !s.owners["tenant."+team] && w[k] == nil {
			out = append(out, fmt.Sprintf("%s has no Tenant", k))
		}
		if k.GroupKind == deploymentKind && !s.owners["serviceclaim."+k.name] {
			out = append(out, fmt.Sprintf("%s has no claim", k))
		}
	}
	slices.Sort(out)
	return out
}
