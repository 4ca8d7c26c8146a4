package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
)

const deploymentManifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: 2
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: web, image: "nginx:1.27-alpine"}]}
`

// A team's own manifests; a commit that changes nothing of them leaves the claim
// Ready though the revision moves.
func TestOwnManifestsAndAnUnrelatedCommit(t *testing.T) {
	t.Parallel()
	repo, err := box.Repository(t.Context(), "own")
	if err != nil {
		t.Fatal(err)
	}
	commit := func(files map[string]string) string {
		t.Helper()
		content := map[string][]byte{}
		for name, text := range files {
			content[name] = []byte(text)
		}
		sha, err := repo.Commit(t.Context(), "change", content)
		if err != nil {
			t.Fatal(err)
		}
		return sha
	}
	commit(map[string]string{"deploy/web.yaml": fmt.Sprintf(deploymentManifest, "own")})
	source := "source: {repoURL: '" + repo.URL() + "', path: deploy, targetRevision: main}"
	apply(t, tenant("own", roomy+", sources: [{repoURL: '"+repo.URL()+"'}]"), claim("own", "own", source))
	before := claimSays(t, "own", "Ready", "Running")
	if len(before.Status.Inventory) != 1 || before.Status.Inventory[0].Name != "own" {
		t.Errorf("inventory: %+v", before.Status.Inventory)
	}

	moved := commit(map[string]string{"README.md": "nothing that runs"})
	refresh(t, "own.own")
	eventually(t, soon, func(ctx context.Context) error {
		c := &v1alpha1.ServiceClaim{}
		if err := admin.Get(ctx, types.NamespacedName{Name: "own"}, c); err != nil {
			return err
		}
		if err := says(c.Status.Conditions, c.Generation, "Ready", "Running"); err != nil {
			t.Fatalf("an unrelated commit took Ready away: %v", err)
		}
		if c.Status.Running.Revision != moved {
			return fmt.Errorf("proven at %s, want %s", c.Status.Running.Revision, moved)
		}
		return nil
	})

	// What cannot be rendered is said, and what runs stays.
	commit(map[string]string{"deploy/web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: [oops"})
	refresh(t, "own.own")
	c := claimSays(t, "own", "Ready", "RenderFailed")
	if m := message(c.Status.Conditions, "Ready"); !strings.Contains(m, "Next, team:") || strings.Contains(m, "/tmp/") {
		t.Errorf("it says %q", m)
	}
	deployment(t, "own", "own")
}

// Repositories that cannot be read or are not allowed say which.
func TestRepositoryTroubles(t *testing.T) {
	t.Parallel()
	gone := "file:///nowhere/at/all.git"
	apply(t, tenant("astray", roomy+", sources: [{repoURL: '"+gone+"'}]"),
		claim("astray-gone", "astray", "source: {repoURL: '"+gone+"'}"),
		claim("astray-foreign", "astray", "source: {repoURL: 'file:///not/allowed.git'}"))
	claimSays(t, "astray-gone", "Ready", "RepositoryError")
	c := claimSays(t, "astray-foreign", "Ready", "SourceNotAllowed")
	if m := message(c.Status.Conditions, "Ready"); !strings.Contains(m, "not permitted in project") {
		t.Errorf("it says %q", m)
	}
}

// refresh asks Argo CD to look at Git now.
func refresh(t *testing.T, application string) {
	t.Helper()
	if out, err := kubectl(t, "", "annotate", "application", application, "-n", "argocd", "argocd.argoproj.io/refresh=normal", "--overwrite"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// Argo CD knows the health of our kinds, by checks that the operator keeps.
func TestArgoCDKnowsOurHealth(t *testing.T) {
	t.Parallel()
	cm := kube.Named(corev1.SchemeGroupVersion.WithKind("ConfigMap"), "argocd", argocd.ConfigMap)
	eventually(t, soon, func(ctx context.Context) error {
		if err := admin.Get(ctx, types.NamespacedName{Namespace: "argocd", Name: argocd.ConfigMap}, cm); err != nil {
			return err
		}
		data, _, _ := unstructured.NestedStringMap(cm.Object, "data")
		if !strings.Contains(data["resource.customizations.health.demarc.dev_ServiceClaim"], "Healthy") {
			return fmt.Errorf("no health check in %v", data)
		}
		if data[argocd.ImpersonationKey] != "true" {
			return fmt.Errorf("others' keys are gone: %v", data)
		}
		return nil
	})
}
