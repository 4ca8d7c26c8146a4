package diagnosis_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/diagnosis"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// world has two teams: shop with the claims web, which tracks a Service by its inventory, and
// shop-api; blog, whose pod says that it is web's.
const world = `
{apiVersion: demarc.dev/v1alpha1, kind: Tenant, metadata: {name: shop}}
{apiVersion: demarc.dev/v1alpha1, kind: Tenant, metadata: {name: blog}}
{apiVersion: demarc.dev/v1alpha1, kind: ServiceClaim, metadata: {name: web, uid: "1"}, spec: {team: shop, image: a}, status: {inventory: [{version: v1, kind: Service, namespace: team-shop, name: front}]}}
{apiVersion: demarc.dev/v1alpha1, kind: ServiceClaim, metadata: {name: api, uid: "2"}, spec: {team: shop, image: a}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: team-shop, labels: {demarc.dev/claim: web}}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: team-shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]}}
{apiVersion: v1, kind: Pod, metadata: {name: web-1-a, namespace: team-shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, controller: true}]}}
{apiVersion: v1, kind: Pod, metadata: {name: stray, namespace: team-shop}}
{apiVersion: v1, kind: Pod, metadata: {name: liar, namespace: team-blog, labels: {demarc.dev/claim: web}}}
{apiVersion: v1, kind: Pod, metadata: {name: guest, namespace: team-shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web}]}}
{apiVersion: demarc.dev/v1alpha1, kind: ServiceClaim, metadata: {name: zz, uid: "3"}, spec: {team: blog, image: a}, status: {inventory: [{group: demarc.dev, version: v1alpha1, kind: ServiceClaim, name: web}, {version: v1, kind: Service, namespace: team-shop, name: front}, {group: apps, version: v1, kind: Deployment, namespace: team-shop, name: web}]}}
{apiVersion: v1, kind: Pod, metadata: {name: loop, namespace: team-shop, ownerReferences: [{apiVersion: v1, kind: Pod, name: loop, controller: true}]}}
`

func set(t *testing.T) *snapshot.Set {
	t.Helper()
	s := &snapshot.Set{At: time.Unix(1_000_000, 0)}
	for line := range strings.Lines(strings.TrimSpace(world)) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(line), &o.Object); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s.Add(o)
	}
	return s
}

func in(kind, namespace, name string) finding.Object {
	group := map[string]string{"Deployment": "apps", "ReplicaSet": "apps", "ServiceClaim": v1alpha1.GroupName, "Application": "argoproj.io"}[kind]
	return finding.Object{Group: group, Kind: kind, Namespace: namespace, Name: name}
}

// Whom a finding concerns: by what it is about, what it keeps from running, what follows.
func TestWhomItConcerns(t *testing.T) {
	for name, c := range map[string]struct {
		finding finding.Finding
		claims  []types.UID
		teams   []string
	}{
		"the claim itself":                {finding.Finding{Object: in("ServiceClaim", "", "web")}, []types.UID{"1"}, []string{"shop"}},
		"its Application":                 {finding.Finding{Object: in("Application", "argocd", "shop.web")}, []types.UID{"1"}, []string{"shop"}},
		"what its inventory lists":        {finding.Finding{Object: in("Service", "team-shop", "front")}, []types.UID{"1"}, []string{"shop"}},
		"its Deployment":                  {finding.Finding{Object: in("Deployment", "team-shop", "web")}, []types.UID{"1"}, []string{"shop"}},
		"a pod of its Deployment":         {finding.Finding{Object: in("Pod", "team-shop", "web-1-a")}, []types.UID{"1"}, []string{"shop"}},
		"a pod of nobody's":               {finding.Finding{Object: in("Pod", "team-shop", "stray")}, nil, []string{"shop"}},
		"a pod that it owns by the way":   {finding.Finding{Object: in("Pod", "team-shop", "guest")}, nil, []string{"shop"}},
		"a pod that owns itself":          {finding.Finding{Object: in("Pod", "team-shop", "loop")}, nil, []string{"shop"}},
		"a label in another team's space": {finding.Finding{Object: in("Pod", "team-blog", "liar")}, nil, []string{"blog"}},
		"a node, and what waits for it":   {finding.Finding{Object: in("Node", "", "n"), Affects: []finding.Object{in("Deployment", "team-shop", "web")}}, []types.UID{"1"}, []string{"shop"}},
		"a node, and what follows": {finding.Finding{Object: in("Node", "", "n"), Folded: []finding.Finding{
			{Object: in("Pod", "team-shop", "web-1-a")}, {Object: in("Pod", "team-blog", "liar")}, {Object: in("ServiceClaim", "", "api")}}},
			[]types.UID{"1", "2"}, []string{"blog", "shop"}},
		"of a team by its word":       {finding.Finding{Object: in("Node", "", "n"), Team: "blog"}, nil, []string{"blog"}},
		"something of the platform's": {finding.Finding{Object: in("Node", "", "n")}, nil, nil},
		"what is not there":           {finding.Finding{Object: in("Pod", "team-shop", "gone")}, nil, []string{"shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.finding.ID, c.finding.Severity = "DM999", finding.Error
			d := diagnosis.Of(set(t), triage.Report{Findings: []finding.Finding{c.finding}})
			claims, teams := slices.Sorted(maps.Keys(d.Claims)), slices.Sorted(maps.Keys(d.Tenants))
			if !slices.Equal(claims, c.claims) || !slices.Equal(teams, c.teams) {
				t.Errorf("it concerns %v of %v, want %v of %v", claims, teams, c.claims, c.teams)
			}
		})
	}
}

// Counts, order, what is measured; a note counts nowhere.
func TestCounts(t *testing.T) {
	d := diagnosis.Of(set(t), triage.Report{Findings: []finding.Finding{
		{ID: "DM101", Severity: finding.Error, Owner: v1alpha1.PartyTeam, Domain: "d", Team: "shop", Object: in("Deployment", "team-shop", "web")},
		{ID: "DM101", Severity: finding.Error, Owner: v1alpha1.PartyTeam, Domain: "d", Team: "shop", Object: in("Pod", "team-shop", "stray")},
		{ID: "DM202", Severity: finding.Warning, Owner: v1alpha1.PartyShared, Domain: "e", Team: "shop", Object: in("Service", "team-shop", "front")},
		{ID: "DM303", Severity: finding.Note, Owner: v1alpha1.PartyTeam, Domain: "e", Team: "blog", Object: in("Pod", "team-blog", "liar")},
	}})
	if diff := cmp.Diff(map[string]v1alpha1.TenantFindings{"shop": {Open: 3, Errors: 2}}, d.Tenants); diff != "" {
		t.Error(diff)
	}
	want := map[diagnosis.Series]int{
		{ID: "DM101", Owner: "team", Domain: "d", Severity: "error", Team: "shop"}:     2,
		{ID: "DM202", Owner: "shared", Domain: "e", Severity: "warning", Team: "shop"}: 1,
	}
	if diff := cmp.Diff(want, d.Series); diff != "" {
		t.Error(diff)
	}
	of := d.Claims["1"]
	if len(of) != 2 || of[0].ID != "DM101" || of[1].ID != "DM202" {
		t.Errorf("of web it says %+v", of)
	}
}

// What is told again is what a status would say otherwise.
func TestChanged(t *testing.T) {
	of := func(f ...finding.Finding) diagnosis.Diagnosis {
		for i := range f {
			f[i].Severity = finding.Error
		}
		return diagnosis.Of(set(t), triage.Report{Findings: f})
	}
	one := finding.Finding{ID: "DM101", Object: in("Deployment", "team-shop", "web"), Message: "a"}
	other := one
	other.Message = "b"
	evidence := one
	evidence.Evidence = []finding.Evidence{{Value: "x"}}
	for name, c := range map[string]struct {
		before, now diagnosis.Diagnosis
		claims      []types.UID
		teams       []string
	}{
		"nothing":      {of(one), of(one), nil, nil},
		"opened":       {of(), of(one), []types.UID{"1"}, []string{"shop"}},
		"closed":       {of(one), of(), []types.UID{"1"}, []string{"shop"}},
		"other words":  {of(one), of(other), []types.UID{"1"}, nil},
		"evidence":     {of(one), of(evidence), nil, nil},
		"one more":     {of(one), of(one, other), []types.UID{"1"}, []string{"shop"}},
		"of the first": {diagnosis.Diagnosis{}, of(one), []types.UID{"1"}, []string{"shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			claims, teams := c.now.Changed(c.before)
			if !slices.Equal(claims, c.claims) || !slices.Equal(teams, c.teams) {
				t.Errorf("changed are %v and %v, want %v and %v", claims, teams, c.claims, c.teams)
			}
		})
	}
}

// Many objects that own each other are read in no time: a claim of each is looked for once, by
// its controller.
func TestOwnersInARing(t *testing.T) {
	s := set(t)
	const n = 500
	f := finding.Finding{ID: "DM999", Severity: finding.Error, Object: in("Node", "", "n")}
	for i := range n {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}}
		o.SetNamespace("team-shop")
		o.SetName(fmt.Sprint("d", i))
		var owners []metav1.OwnerReference
		for k := range 100 {
			owners = append(owners, metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: fmt.Sprint("d", (i+k)%n), Controller: ptr.To(k == 1)})
		}
		o.SetOwnerReferences(owners)
		s.Add(o)
		f.Affects = append(f.Affects, in("Deployment", "team-shop", o.GetName()))
	}
	if d := diagnosis.Of(s, triage.Report{Findings: []finding.Finding{f}}); len(d.Claims) > 0 || d.Tenants["shop"].Open != 1 {
		t.Errorf("it concerns %v, %v", d.Claims, d.Tenants)
	}
}

// A claim is read by all teams: what is not its team's alone it tells without others' objects.
func TestWhatAClaimTells(t *testing.T) {
	mine := finding.Finding{ID: "DM109", Severity: finding.Error, Object: in("Deployment", "team-shop", "web"), Message: "image x is not there", Next: []finding.Step{{Says: "push it"}}}
	shared := mine
	shared.Affects = []finding.Object{in("Deployment", "team-shop", "web"), in("Deployment", "team-blog", "secret-project")}
	shared.Message = "deployment secret-project in team-blog and 1 more"
	shared.Object = in("Node", "", "n")
	foreign := shared
	foreign.Object = in("Deployment", "team-blog", "secret-project")
	of := func(f finding.Finding) finding.Finding {
		return diagnosis.Of(set(t), triage.Report{Findings: []finding.Finding{f}}).Claims["1"][0]
	}
	if diff := cmp.Diff(mine, of(mine)); diff != "" {
		t.Error(diff)
	}
	for _, f := range []finding.Finding{shared, foreign} {
		got := of(f)
		if got.Message != triage.Of("DM109").Title || got.Next != nil || strings.Contains(got.Object.String(), "secret") {
			t.Errorf("it tells %+v", got)
		}
	}
}

// What could not be read closes nothing.
func TestKeeping(t *testing.T) {
	one := finding.Finding{ID: "DM101", Severity: finding.Error, Object: in("Deployment", "team-shop", "web"), Message: "a"}
	other := finding.Finding{ID: "DM202", Severity: finding.Warning, Object: in("Pod", "team-shop", "stray")}
	worse := one
	worse.Message = "b"
	of := func(f ...finding.Finding) diagnosis.Diagnosis {
		return diagnosis.Of(set(t), triage.Report{Findings: f})
	}
	d := of(worse).Keeping(of(one, other))
	if got := d.Claims["1"]; len(got) != 1 || got[0].Message != "b" {
		t.Errorf("the claim tells %+v", got)
	}
	if got := d.Tenants["shop"]; got.Open != 2 || got.Errors != 1 {
		t.Errorf("the Tenant counts %+v", got)
	}
	if got := of().Keeping(d).Keeping(diagnosis.Diagnosis{}); len(got.Claims["1"]) != 1 || got.Tenants["shop"].Open != 2 {
		t.Errorf("after another that reads less it is %+v", got)
	}
}
