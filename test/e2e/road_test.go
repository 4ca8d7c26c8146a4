package e2e

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What a claim runs as is delivered by Argo CD and proven; volumes have nobody to make them
// here.
func TestKindsOfWorkload(t *testing.T) {
	t.Parallel()
	apply(t, tenant("road", roomy),
		claim("road-worker", "road", "kind: worker, image: nginx:1.27-alpine, replicas: 2"),
		claim("road-once", "road", "kind: job, image: busybox:1.37, command: [sh, -c, 'true']"),
		claim("road-nightly", "road", "kind: cronjob, image: busybox:1.37, command: [sh, -c, 'true'], job: {schedule: '30 2 * * *'}"))
	for name, want := range map[string]string{"road-worker": "Running", "road-once": "Completed", "road-nightly": "Scheduled"} {
		claimSays(t, name, "Ready", want)
	}
	before := jobUID(t, "road", "road-once")

	// A Job that is changed runs anew, and only then.
	apply(t, claim("road-once", "road", "kind: job, image: busybox:1.36, command: [sh, -c, 'true']"))
	c := claimSays(t, "road-once", "Ready", "Completed")
	if c.Status.Running.Image != "busybox:1.36" {
		t.Errorf("proven: %+v", c.Status.Running)
	}
	if jobUID(t, "road", "road-once") == before {
		t.Error("the same Job stands for another image")
	}
}

// jobUID is that of the one Job of a claim.
func jobUID(t *testing.T, team, name string) (uid types.UID) {
	t.Helper()
	eventually(t, soon, func(ctx context.Context) error {
		var jobs batchv1.JobList
		if err := admin.List(ctx, &jobs, client.InNamespace("team-"+team), client.MatchingLabels{"app.kubernetes.io/name": name}); err != nil {
			return err
		}
		if len(jobs.Items) != 1 {
			return fmt.Errorf("there are %d Jobs of %s", len(jobs.Items), name)
		}
		uid = jobs.Items[0].UID
		return nil
	})
	return uid
}

// The number of an autoscaled service is the autoscaler's: Argo CD, which heals itself,
// leaves it alone, also when something else of the service changes.
func TestAutoscaledNumberIsLeftAlone(t *testing.T) {
	t.Parallel()
	const scaled = "image: %s, autoscaling: {min: 2, max: 5, cpu: 80}"
	apply(t, tenant("elastic", roomy), claim("elastic", "elastic", fmt.Sprintf(scaled, "nginx:1.26-alpine")))
	eventually(t, soon, func(ctx context.Context) error { return numbers(ctx, 2, "nginx:1.26-alpine") })
	must(t, "scale deployment elastic -n team-elastic --replicas=4")
	eventually(t, soon, func(ctx context.Context) error { return numbers(ctx, 4, "nginx:1.26-alpine") })

	compared(t)
	apply(t, claim("elastic", "elastic", fmt.Sprintf(scaled, "nginx:1.27-alpine")))
	eventually(t, soon, func(ctx context.Context) error { return numbers(ctx, 4, "nginx:1.27-alpine") })
	compared(t) // and what would be healed is
	if err := numbers(t.Context(), 4, "nginx:1.27-alpine"); err != nil {
		t.Error(err)
	}
}

// compared waits until Argo CD has compared anew and finds nothing to do.
func compared(t *testing.T) {
	t.Helper()
	must(t, "annotate application elastic.elastic -n argocd argocd.argoproj.io/refresh=hard --overwrite")
	eventually(t, soon, func(ctx context.Context) error {
		app := &unstructured.Unstructured{}
		app.SetAPIVersion("argoproj.io/v1alpha1")
		app.SetKind("Application")
		if err := admin.Get(ctx, types.NamespacedName{Namespace: "argocd", Name: "elastic.elastic"}, app); err != nil {
			return err
		}
		if app.GetAnnotations()["argocd.argoproj.io/refresh"] != "" {
			return fmt.Errorf("it is compared still")
		}
		if status, _, _ := unstructured.NestedString(app.Object, "status", "sync", "status"); status != "Synced" {
			return fmt.Errorf("with another number it is %q", status)
		}
		return nil
	})
}

func numbers(ctx context.Context, replicas int32, image string) error {
	d := &appsv1.Deployment{}
	if err := admin.Get(ctx, types.NamespacedName{Namespace: "team-elastic", Name: "elastic"}, d); err != nil {
		return err
	}
	if got := d.Spec.Template.Spec.Containers[0].Image; *d.Spec.Replicas != replicas || got != image {
		return fmt.Errorf("it runs %d of %s, want %d of %s", *d.Spec.Replicas, got, replicas, image)
	}
	return nil
}
