package e2e

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const clusterRole = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reach}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`

const jobAndConfig = `
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: once, image: "busybox:1.37"}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
`

// delivers makes a team, with a repository of its own that holds this one file, and
// a claim for it; all bear one name.
func delivers(t *testing.T, name, manifest string) {
	t.Helper()
	repo, err := box.Repository(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Commit(t.Context(), "first", map[string][]byte{"all.yaml": []byte(manifest)}); err != nil {
		t.Fatal(err)
	}
	url := "'" + repo.URL() + "'"
	apply(t, tenant(name, roomy+", sources: [{repoURL: "+url+"}]"), claim(name, name, "source: {repoURL: "+url+", targetRevision: main}"))
}

// O9: a source that holds what is not the team's to bring is refused in words that
// name it, brings nothing of it, and lets the claim go again.
func TestSourceWithAClusterRole(t *testing.T) {
	t.Parallel()
	delivers(t, "reach", clusterRole+"---"+fmt.Sprintf(deploymentManifest, "reach"))
	c := claimSays(t, "reach", "Ready", "SyncRetrying")
	if m := message(c.Status.Conditions, "Ready"); !strings.Contains(m, "clusterrole/reach: ") || !strings.Contains(m, "is not permitted in project team-reach") {
		t.Errorf("it says %q", m)
	}
	if out, err := kubectl(t, "", "get", "clusterrole", "reach"); err == nil || !strings.Contains(out, "NotFound") {
		t.Errorf("it was brought: %v: %s", err, out)
	}
	must(t, "delete serviceclaim reach --timeout=180s")
	isAbsent(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-reach", Name: "reach"}})
	must(t, "delete tenant reach --timeout=180s")
}

// A source need not hold anything that runs all the time.
func TestSourceWithoutAWorkload(t *testing.T) {
	t.Parallel()
	delivers(t, "once", jobAndConfig)
	c := claimSays(t, "once", "Ready", "Running")
	if len(c.Status.Inventory) != 2 {
		t.Errorf("inventory: %+v", c.Status.Inventory)
	}
	must(t, "delete serviceclaim once --timeout=180s")
	isAbsent(t, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team-once", Name: "once"}})
	isAbsent(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-once", Name: "settings"}})
	must(t, "delete tenant once --timeout=180s")
}
