package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// What is refused at apply time, each with a message that says what to do. Rules
// that need nothing but the object are tried in api/v1alpha1; these need the
// Platform's settings or ask who is asking. Not parallel: the Platform is changed.
func TestRefusedByPolicy(t *testing.T) {
	apply(t, tenant("above", `resources: {cpu: "4", memory: 8Gi, pods: 20}`), tenant("below", `resources: {cpu: "1", memory: 1Gi, pods: 5}`),
		claim("above", "above", "image: nginx:1.27-alpine, replicas: 0"))
	tenantSays(t, "above", "Ready", "TenantReady")
	tenantSays(t, "below", "Ready", "TenantReady")
	claimSays(t, "above", "Ready", "ScaledToZero")
	platform(t, `{"spec":{"ceiling":{"cpu":"2","memory":"4Gi","pods":10},"claims":{"requireTeamPrefix":true}}}`)
	t.Cleanup(func() { platform(t, `{"spec":{"ceiling":null,"claims":null}}`) })

	const developer = "--as=dev --as-group=team-above --as-group=system:authenticated"
	const stranger = "--as=eve --as-group=team-below --as-group=system:authenticated"
	const anybody = ""
	for _, c := range []struct{ name, who, manifest, refused string }{
		{"a budget above the ceiling", anybody, tenant("new", `resources: {cpu: "3", memory: 1Gi, pods: 5}`), "spec.resources.cpu 3 is above the platform's ceiling of 2"},
		{"as an integer", anybody, tenant("new", `resources: {cpu: 3, memory: 1Gi, pods: 5}`), "spec.resources.cpu 3 is above"},
		{"pods above the ceiling", anybody, tenant("new", `resources: {cpu: 1, memory: 1Gi, pods: 11}`), "spec.resources.pods 11 is above"},
		{"no budget, which is no limit", anybody, tenant("new", ""), "which means no limit, and is above the platform's ceiling"},
		{"in other words the same amount", anybody, tenant("below", `resources: {cpu: 2000m, memory: 4096Mi, pods: 10}`), ""},
		{"above and worse", anybody, tenant("above", `resources: {cpu: "5", memory: 8Gi, pods: 20}`), "spec.resources.cpu 5 is above"},
		{"above and worse in one key", anybody, tenant("above", `resources: {cpu: "3", memory: 9Gi, pods: 20}`), "spec.resources.memory 9Gi is above"},
		{"above and better", anybody, tenant("above", `resources: {cpu: "3", memory: 8Gi, pods: 20}`), ""},

		{"a name without the team's", anybody, claim("shop", "above", "image: nginx"), "begins with its team's: above-shop"},
		{"a developer's own claim", developer, claim("above-dev", "above", "image: nginx:1.27-alpine, replicas: 0"), ""},
		{"another team's claim", stranger, claim("above-eve", "above", "image: nginx"), "only who may deploy for team above writes its claims"},
		{"a claim for a team that is not there", developer, claim("ghost-x", "ghost", "image: nginx"), "only who may deploy for team ghost"},
		{"another team's claim, changed", stranger, claim("above", "above", "image: nginx, replicas: 1"), "only who may deploy for team above"},
		{"another team's claim, taken over by its name", stranger, claim("above", "below", "image: nginx"), "its name is taken"},
		{"a finalizer", developer, strings.Replace(claim("above-fin", "above", "image: nginx"), "name: above-fin", "name: above-fin, finalizers: [x.example/y]", 1), "are Demarc's to set on a claim"},
		{"a mark of ours", developer, strings.Replace(claim("above-lab", "above", "image: nginx"), "name: above-lab", "name: above-lab, labels: {demarc.dev/owner: tenant.below}", 1), "are Demarc's to set on a claim"},
		{"an owner reference", developer, strings.Replace(claim("above-own", "above", "image: nginx"), "name: above-own",
			"name: above-own, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: x}]", 1), "are Demarc's to set on a claim"},
		{"a Tenant by a team", developer, tenant("mine", ""), `cannot create resource "tenants"`},
		{"one's own budget", developer, tenant("above", `resources: {cpu: "1", memory: 1Gi, pods: 1}`), "a team changes spec.contacts of its Tenant and nothing else"},
		{"a quota in one's own namespace", developer, "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: more, namespace: team-above}", `cannot create resource "resourcequotas"`},
		{"a role of Demarc's that gives more", anybody, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'demarc:more'}\nrules: [{apiGroups: [''], resources: [pods], verbs: ['*']}]", "names every verb and kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := kubectl(t, c.manifest, append([]string{"apply", "-f", "-"}, strings.Fields(c.who)...)...)
			switch {
			case c.refused == "" && err != nil:
				t.Errorf("refused: %s", out)
			case c.refused != "" && (err == nil || !strings.Contains(out, c.refused)):
				t.Errorf("got %v: %s\nwant it refused with %q", err, out, c.refused)
			}
			if c.name == "above and better" && !strings.Contains(out, "Warning: ") {
				t.Errorf("let through without a warning: %s", out)
			}
		})
	}
	if out, err := kubectl(t, "", "delete", "serviceclaim", "above", "--as=eve", "--as-group=team-below", "--as-group=system:authenticated"); err == nil {
		t.Errorf("another team deleted a claim: %s", out)
	}
	if out, err := kubectl(t, "", "auth", "can-i", "deploy", "serviceclaims.demarc.dev", "-n", "team-above", "--as=dev", "--as-group=team-above"); err != nil {
		t.Errorf("can-i: %v: %s", err, out)
	}
}

// platform merges a patch into the Platform and waits until policy goes by it:
// the API server takes parameters from a cache of its own.
func platform(t *testing.T, patch string) {
	t.Helper()
	if out, err := kubectl(t, "", "patch", "platform", "default", "--type=merge", "-p", patch); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	demands := strings.Contains(patch, `"requireTeamPrefix":true`)
	eventually(t, soon, func(context.Context) error {
		_, err := kubectl(t, claim("probe", "below", "image: nginx"), "create", "--dry-run=server", "-f", "-")
		if refused := err != nil; refused != demands {
			return fmt.Errorf("policy does not go by the Platform yet")
		}
		return nil
	})
}
