package model

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/model/world"
)

type keyType = world.Key

func keyOf(o world.Object) keyType { return world.KeyOf(o) }

// end is when everybody stops. What is to go and is still there says why; then Argo CD is
// brought back, and the same holds; then all is taken down, and nothing is left.
func (p *people) end(t *rapid.T) {
	c := p.c
	p.settle(t)
	p.said(t)

	for range 2 { // a CRD that is going goes first
		p.do("Argo CD is brought back", func() {
			c.argo.Running = true
			c.Install("admin", "argoproj.io")
		})
		p.settle(t)
		p.said(t)
	}
	if c.Served("Application") && c.Served("AppProject") {
		p.well(t)
	}

	p.takeDown(t)
	if len(p.hands.forced) > 0 { // what a Tenant left that was forced is found again by the next of its name
		p.do("Tenants come back", func() {
			for _, team := range p.hands.forced {
				p.hands.createTenant(team, false)
			}
		})
		p.settle(t)
		p.takeDown(t)
	}
	p.nothingLeft(t)
}

// takeDown ends all that was asked for. What is left says why, and goes when people
// did what is theirs to do.
func (p *people) takeDown(t *rapid.T) {
	p.do("all is taken down", p.hands.takeDown)
	p.settle(t)
	p.said(t)
	p.do("the rest by hand", func() {
		p.hands.cleanUp()
		p.c.freeApplications()
	})
	p.settle(t)
}

func conditionsOf(o world.Object) []metav1.Condition {
	var read struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &read); err != nil {
		panic(err)
	}
	return read.Status.Conditions
}

// said wants of all that is going and held by us that it names what it waits for.
func (p *people) said(t *rapid.T) {
	for _, claim := range p.c.Now("ServiceClaim") {
		if going(claim) && slices.Contains(claim.GetFinalizers(), v1alpha1.FinalizerClaim) {
			blockers := p.c.watch.delivered(claim)
			if app := p.c.watch.application(claim); app != nil {
				blockers = append(blockers, keyOf(app).String())
			}
			p.names(t, claim, "Drained", blockers)
		}
	}
	for _, tenant := range p.c.Now("Tenant") {
		if !going(tenant) || !slices.Contains(tenant.GetFinalizers(), v1alpha1.FinalizerTenant) {
			continue
		}
		var blockers []string
		for _, claim := range p.c.watch.claimsOf(tenant.GetName()) {
			if slices.Contains(claim.GetFinalizers(), v1alpha1.FinalizerClaim) {
				blockers = append(blockers, claim.GetName())
			}
		}
		if len(blockers) == 0 {
			blockers = p.c.watch.inProject(tenant.GetName())
		}
		p.names(t, tenant, "ClaimsDrained", blockers)
	}
}

// names wants a condition that is False and says one of what blocks at least.
func (p *people) names(t *rapid.T, o world.Object, kind string, blockers []string) {
	said := meta.FindStatusCondition(conditionsOf(o), kind)
	if said == nil || said.Status != metav1.ConditionFalse || said.Reason == "" {
		t.Fatalf("%s is still there, held by %v, and says nothing: %+v", keyOf(o), o.GetFinalizers(), said)
	}
	if len(blockers) == 0 {
		t.Fatalf("%s is still there although nothing blocks it; it says %s: %s", keyOf(o), said.Reason, said.Message)
	}
	for _, b := range blockers {
		name, _, _ := strings.Cut(b, " in ")
		if _, short, cut := strings.Cut(name, "/"); cut && strings.HasPrefix(name, "application/") {
			name = short
		}
		if strings.Contains(said.Message, name) {
			return
		}
	}
	t.Fatalf("%s is held by %v and does not name it; it says %s: %s", keyOf(o), blockers, said.Reason, said.Message)
}

// well wants all that was not asked to go to be ready, where nobody else has its name.
func (p *people) well(t *rapid.T) {
	readyTeams := map[string]bool{}
	for _, tenant := range p.c.Now("Tenant") {
		ready := meta.FindStatusCondition(conditionsOf(tenant), "Ready")
		readyTeams[tenant.GetName()] = ready != nil && ready.Status == metav1.ConditionTrue && !going(tenant)
		if !going(tenant) && (ready == nil || ready.Status != metav1.ConditionTrue && ready.Reason != "NamespaceTaken") {
			t.Fatalf("%s is not ready: %+v", keyOf(tenant), ready)
		}
	}
	for _, claim := range p.c.Now("ServiceClaim") {
		ready := meta.FindStatusCondition(conditionsOf(claim), "Ready")
		if !going(claim) && readyTeams[teamOf(claim)] && (ready == nil || ready.Status != metav1.ConditionTrue && ready.Reason != "ApplicationTaken") {
			t.Fatalf("%s is not ready: %+v", keyOf(claim), ready)
		}
	}
}

// nothingLeft wants a cluster in which Demarc keeps nothing, and nothing of anybody
// else's is gone.
func (p *people) nothingLeft(t *rapid.T) {
	for _, kind := range p.c.Kinds() {
		for _, o := range p.c.Now(kind) {
			if kind == "Tenant" || kind == "ServiceClaim" || ours(o) {
				t.Fatalf("%s is left, held by %v: %+v", keyOf(o), o.GetFinalizers(), conditionsOf(o))
			}
		}
	}
}
