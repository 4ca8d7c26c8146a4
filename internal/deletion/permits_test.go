package deletion

import (
	"testing"

	"sigs.k8s.io/yaml"
)

// What Argo CD permits is asked as Argo CD does, its patterns included.
func TestForbids(t *testing.T) {
	const here = `{server: "https://kubernetes.default.svc", namespace: team-shop}`
	deployment := Object{Group: "apps", Kind: "Deployment", Namespace: "team-shop", Name: "web"}
	claim := Object{Group: "demarc.dev", Kind: "ServiceClaim", Name: "web"}
	for _, c := range []struct {
		name, spec string
		of         Object
		permitted  bool
	}{
		{"no list of kinds is all kinds", `destinations: [` + here + `]`, deployment, true},
		{"an empty list is none", `{destinations: [` + here + `], namespaceResourceWhitelist: []}`, deployment, false},
		{"a kind that is listed", `{destinations: [` + here + `], namespaceResourceWhitelist: [{group: apps, kind: Deploy*}]}`, deployment, true},
		{"of another group", `{destinations: [` + here + `], namespaceResourceWhitelist: [{group: "", kind: Deployment}]}`, deployment, false},
		{"listed and denied", `{destinations: [` + here + `], namespaceResourceBlacklist: [{group: "*", kind: Deployment}]}`, deployment, false},
		{"no destination", `{}`, deployment, false},
		{"this cluster by name", `destinations: [{name: in-cluster, namespace: "team-*"}]`, deployment, true},
		{"another cluster", `destinations: [{server: "https://elsewhere", namespace: "*"}]`, deployment, false},
		{"a pattern over slashes", `destinations: [{server: "https*svc", namespace: "{team-shop,team-web}"}]`, deployment, true},
		{"a namespace that is denied", `destinations: [{server: "*", namespace: "*"}, {server: "*", namespace: "!team-shop"}]`, deployment, false},
		{"another that is denied", `destinations: [{server: "*", namespace: "*"}, {server: "*", namespace: "!kube-system"}]`, deployment, true},
		{"a cluster that is denied", `destinations: [{server: "*", namespace: "*"}, {server: "!https://kubernetes.default.svc", namespace: "*"}]`, deployment, false},
		{"outside namespaces nothing unless listed", `destinations: [` + here + `]`, claim, false},
		{"listed outside namespaces", `clusterResourceWhitelist: [{group: demarc.dev, kind: ServiceClaim}]`, claim, true},
		{"listed under another name", `clusterResourceWhitelist: [{group: demarc.dev, kind: ServiceClaim, name: "other-*"}]`, claim, false},
		{"no pattern at all", `destinations: [{server: "*", namespace: "[team"}]`, deployment, false},
	} {
		var p project
		if err := yaml.Unmarshal([]byte(c.spec), &p.Spec); err != nil {
			t.Fatal(err)
		}
		if why := p.forbids(c.of); (why == "") != c.permitted {
			t.Errorf("%s: it says %q, permitted should be %v", c.name, why, c.permitted)
		}
	}
}
