package isolation

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"

	"demarc.dev/demarc/test/cluster"
)

// victim has a service, and what else a team has, for others to reach for.
const victimThings = `
apiVersion: v1
kind: Secret
metadata: {name: own, namespace: team-victim}
stringData: {pin: "1234"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: own, namespace: team-victim}
data: {colour: blue}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: own, namespace: team-victim}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: own, namespace: team-victim}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: own, namespace: team-victim}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: own}
subjects: [{kind: ServiceAccount, name: own, namespace: team-victim}]
`

var settle, quiet sync.Once

// teams makes the team that attacks and the one that is attacked, once.
func teams(t *testing.T) {
	t.Helper()
	settle.Do(func() {
		// Argo CD remembers for minutes that a repository is empty, whichever test comes first.
		for _, name := range []string{"rogue", "victim"} {
			begin(t, name)
		}
		on.Apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: ci}", "apiVersion: v1\nkind: ServiceAccount\n"+
			"metadata: {name: rogue, namespace: ci}")
		on.Apply(t, team("victim"), team("rogue", "sources: ["+
			"{repoURL: '"+url(t, "rogue")+"'}, {repoURL: '"+url(t, "rogue-link")+"'}]"),
			cluster.Claim("victim", "victim", "image: nginx:1.27-alpine, port: 80"))
		// Applied on the server: who owns a field is to be seen, and Argo CD would first
		// take over what kubectl applied.
		for _, claim := range []string{
			cluster.Claim("victim-two", "victim", "image: nginx:1.27-alpine"), cluster.Claim("rogue", "rogue", "image: nginx:1.27-alpine, replicas: 0"),
		} {
			if out, err := on.Kubectl(t, claim, "apply", "--server-side", "-f", "-"); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		on.TenantSays(t, patience, "victim", "Ready", "TenantReady")
		on.TenantSays(t, patience, "rogue", "Ready", "TenantReady")
		on.Apply(t, victimThings, inRogue(roleOf("reader", "apiGroups: [''], resources: [configmaps], verbs: [get]")))
	})
	on.ClaimSays(t, patience, "victim", "Ready", "Running")
	on.ClaimSays(t, patience, "victim-two", "Ready", "Running")
	on.ClaimSays(t, patience, "rogue", "Ready", "ScaledToZero")
	quiet.Do(func() { settled(t) })
}

// settled waits until nothing of it was written to for some looks.
func settled(t *testing.T) {
	t.Helper()
	last, same := map[string]string{}, 0
	cluster.Eventually(t, patience, func(context.Context) error {
		now := belongings(t)
		if same++; !maps.Equal(last, now) {
			last, same = now, 0
		}
		if same < 10 {
			return errors.New("it is still being written to")
		}
		return nil
	})
}

// begin makes the first commit of a repository.
func begin(t *testing.T, name string) {
	t.Helper()
	repo, err := on.Box.Repository(t.Context(), name)
	if err == nil {
		_, err = repo.Commit(t.Context(), "begin", map[string][]byte{"README.md": []byte("# " + name + "\n")})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// url of a Git repository in the sandbox.
func url(t *testing.T, name string) string {
	t.Helper()
	repo, err := on.Box.Repository(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return repo.URL()
}

var grant sync.Once

// accessTeams makes the teams of the questions about access, once.
func accessTeams(t *testing.T) {
	t.Helper()
	grant.Do(func() { on.Apply(t, team("access"), team("stranger"), team("bystander")) })
	for _, name := range []string{"access", "stranger", "bystander"} {
		on.TenantSays(t, patience, name, "Ready", "TenantReady")
	}
}
