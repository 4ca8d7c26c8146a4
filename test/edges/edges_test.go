// Package edges holds what the peers of this field lose or leak, each as a test that
// runs on a real control plane with a real Argo CD. docs/hard-edges.md lists them.
package edges

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/cluster"
)

// soon is for what takes seconds on an idle machine; a loaded one takes its time.
const soon = 3 * time.Minute

var c *cluster.Cluster

func TestMain(m *testing.M) {
	os.Exit(cluster.Main(m, "edges", func(made *cluster.Cluster) { c = made }))
}

// small is a service that needs no time to start.
const small = "image: nginx:1.27-alpine"

// running makes a team with one service of its name, and waits until it runs.
func running(t *testing.T, name string) {
	t.Helper()
	c.Apply(t, cluster.Tenant(name, cluster.Roomy), cluster.Claim(name, name, small))
	c.ClaimSays(t, soon, name, "Ready", "Running")
}

// as are kubectl's flags of somebody in a group.
func as(group string) string {
	return " --as=somebody --as-group=" + group + " --as-group=system:authenticated"
}

// editor is whom a Tenant without access of its own gives the role edit.
func editor(team string) string { return as("team-" + team) }

// refused is a kubectl call that must fail with these words.
func refused(t *testing.T, args, words string) {
	t.Helper()
	if out, err := c.Kubectl(t, "", strings.Fields(args)...); err == nil || !strings.Contains(out, words) {
		t.Errorf("kubectl %s: %v: %s\nwant it refused with %q", args, err, out, words)
	}
}

// tenantTells waits until a condition of a Tenant has a reason and a word in its message.
func tenantTells(t *testing.T, name, condition, reason, words string) {
	t.Helper()
	cluster.Eventually(t, soon, func(context.Context) error {
		o := c.TenantSays(t, soon, name, condition, reason)
		if m := cluster.Message(o.Status.Conditions, condition); !strings.Contains(m, words) {
			return fmt.Errorf("tenant %s says %q, want %q in it", name, m, words)
		}
		return nil
	})
}

// claimTells is the same for a claim.
func claimTells(t *testing.T, name, condition, reason, words string) {
	t.Helper()
	cluster.Eventually(t, soon, func(context.Context) error {
		o := c.ClaimSays(t, soon, name, condition, reason)
		if m := cluster.Message(o.Status.Conditions, condition); !strings.Contains(m, words) {
			return fmt.Errorf("claim %s says %q, want %q in it", name, m, words)
		}
		return nil
	})
}

func tenantGone(t *testing.T, name string) {
	t.Helper()
	c.IsGone(t, soon, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

func claimGone(t *testing.T, name string) {
	t.Helper()
	c.IsGone(t, soon, &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// deployment reads a service's Deployment; it must be there.
func deployment(t *testing.T, team, name string) *appsv1.Deployment {
	t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-" + team, Name: name}}
	if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// halted stops a component until the returned function is called. Tests that do so
// are not parallel.
func halted(t *testing.T, component string) (start func()) {
	t.Helper()
	if err := c.Box.Stop(t.Context(), component); err != nil {
		t.Fatal(err)
	}
	started := false
	start = func() {
		if started {
			return
		}
		started = true
		if err := c.Box.Start(context.Background(), component); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(start)
	return start
}

// argo is the component that delivers and takes down.
const argo = "argocd-application-controller"

// git fills a repository of the team's and returns its URL.
func git(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	repo, err := c.Box.Repository(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	for path, text := range files {
		content[path] = []byte(text)
	}
	if _, err := repo.Commit(t.Context(), "change", content); err != nil {
		t.Fatal(err)
	}
	return repo.URL()
}

// web is a Deployment as a team writes one.
func web(name string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: 1
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: web, image: "nginx:1.27-alpine"}]}
`, name)
}

// delivers makes a team and a claim of one name from the team's own manifests.
func delivers(t *testing.T, name string, manifests ...string) {
	t.Helper()
	url := "'" + git(t, name, map[string]string{"all.yaml": strings.Join(manifests, "\n---\n")}) + "'"
	c.Apply(t, cluster.Tenant(name, cluster.Roomy+", sources: [{repoURL: "+url+"}]"),
		cluster.Claim(name, name, "source: {repoURL: "+url+", targetRevision: main}"))
}
