package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
)

// The article's case: a second service of the same team.
func TestSecondServiceOfATeam(t *testing.T) {
	t.Parallel()
	apply(t, tenant("second", roomy), claim("second-a", "second", "image: nginx:1.27-alpine, replicas: 2, port: 80"))
	claimSays(t, "second-a", "Ready", "Running")
	apply(t, claim("second-b", "second", "image: nginx:1.27-alpine"))
	b := claimSays(t, "second-b", "Ready", "Running")
	if b.Status.Running == nil || b.Status.Running.Replicas != 1 || b.Status.Running.Image != "nginx:1.27-alpine" {
		t.Errorf("proven: %+v", b.Status.Running)
	}
	claimSays(t, "second-a", "Ready", "Running")
}

func TestImageChangeAndScale(t *testing.T) {
	t.Parallel()
	apply(t, tenant("change", roomy), claim("change", "change", "image: nginx:1.26-alpine, replicas: 1"))
	claimSays(t, "change", "Ready", "Running")

	apply(t, claim("change", "change", "image: nginx:1.27-alpine, replicas: 1"))
	c := claimSays(t, "change", "Ready", "Running")
	if c.Status.Running.Image != "nginx:1.27-alpine" {
		t.Errorf("proven: %+v", c.Status.Running)
	}
	apply(t, claim("change", "change", "image: nginx:1.27-alpine, replicas: 4"))
	c = claimSays(t, "change", "Ready", "Running")
	if c.Status.Running.Replicas != 4 {
		t.Errorf("proven: %+v", c.Status.Running)
	}
	d := deployment(t, "change", "change")
	if got := d.Spec.Template.Spec.Containers[0].Image; got != "nginx:1.27-alpine" || *d.Spec.Replicas != 4 {
		t.Errorf("the Deployment runs %d of %s", *d.Spec.Replicas, got)
	}
	apply(t, claim("change", "change", "image: nginx:1.27-alpine, replicas: 0"))
	claimSays(t, "change", "Ready", "ScaledToZero")
}

func deployment(t *testing.T, team, name string) *appsv1.Deployment {
	t.Helper()
	d := &appsv1.Deployment{}
	if err := admin.Get(t.Context(), types.NamespacedName{Namespace: "team-" + team, Name: name}, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// An image that can never run is never Ready and says why, in the kubelet's words.
func TestImageThatCannotRun(t *testing.T) {
	t.Parallel()
	apply(t, tenant("broken", roomy),
		claim("broken-pull", "broken", "image: 'unpullable.invalid/shop/api:1'"),
		claim("broken-crash", "broken", "image: 'crashing.invalid/shop/api:1'"),
		claim("broken-unready", "broken", "image: 'unready.invalid/shop/api:1', port: 8080"))
	pull := claimSays(t, "broken-pull", "Ready", "ImagePullFailed")
	if m := message(pull.Status.Conditions, "Ready"); !strings.Contains(m, "unpullable.invalid/shop/api:1") || !strings.Contains(m, "Next, team:") {
		t.Errorf("it says %q", m)
	}
	crash := claimSays(t, "broken-crash", "Ready", "CrashLooping")
	if m := message(crash.Status.Conditions, "Ready"); !strings.Contains(m, "exit code") {
		t.Errorf("it says %q", m)
	}
	claimSays(t, "broken-unready", "Ready", "Progressing")
	claimSays(t, "broken-pull", "DeliveryReady", "Delivered")
	if pull.Status.Running != nil {
		t.Errorf("it was proven to run: %+v", pull.Status.Running)
	}
	// A working image mends it.
	apply(t, claim("broken-pull", "broken", "image: nginx:1.27-alpine"))
	claimSays(t, "broken-pull", "Ready", "Running")
}

// A quota that is too small says so in the claim within ten seconds of the
// refusal, in the cluster's own words, and heals when the budget is raised.
func TestQuotaTooSmall(t *testing.T) {
	t.Parallel()
	apply(t, tenant("tight", `resources: {cpu: "1", memory: 1Gi, pods: 1}`), claim("tight", "tight", "image: nginx:1.27-alpine, replicas: 3"))
	var refusal time.Time
	eventually(t, soon, func(context.Context) error {
		d := &appsv1.Deployment{}
		if err := admin.Get(t.Context(), types.NamespacedName{Namespace: "team-tight", Name: "tight"}, d); err != nil {
			return err
		}
		for _, c := range d.Status.Conditions {
			if c.Type == appsv1.DeploymentReplicaFailure {
				refusal = c.LastTransitionTime.Time
				return nil
			}
		}
		return fmt.Errorf("no refusal yet")
	})
	c := claimSaysWithin(t, soon, "tight", "Ready", "QuotaExceeded")
	if m := message(c.Status.Conditions, "Ready"); !strings.Contains(m, "exceeded quota: demarc") || !strings.Contains(m, "limited: pods=1") {
		t.Errorf("it says %q", m)
	}
	for _, cond := range c.Status.Conditions {
		if took := cond.LastTransitionTime.Sub(refusal); cond.Type == "WorkloadReady" && took > 10*time.Second {
			t.Errorf("the claim said so %s after the refusal", took)
		}
	}
	apply(t, tenant("tight", roomy))
	claimSays(t, "tight", "Ready", "Running")
}

// An image change in a budget that is used up to the last ends Ready, one pod at
// a time; with one replica there is no room for a successor, and that is said.
func TestImageChangeInAFullBudget(t *testing.T) {
	t.Parallel()
	apply(t, tenant("full", `resources: {cpu: "1", memory: 2Gi, pods: 2}`), claim("full", "full", "image: nginx:1.26-alpine, replicas: 2"),
		tenant("single", `resources: {cpu: "1", memory: 2Gi, pods: 1}`), claim("single", "single", "image: nginx:1.26-alpine, replicas: 1"))
	claimSays(t, "full", "Ready", "Running")
	claimSays(t, "single", "Ready", "Running")
	apply(t, claim("full", "full", "image: nginx:1.27-alpine, replicas: 2"), claim("single", "single", "image: nginx:1.27-alpine, replicas: 1"))
	runsInTheEnd(t, "full")
	c := claimSays(t, "single", "Ready", "NoRoomToRoll")
	if m := message(c.Status.Conditions, "Ready"); !strings.Contains(m, "free 1 of pods") {
		t.Errorf("it says %q", m)
	}
	apply(t, tenant("single", `resources: {cpu: "1", memory: 2Gi, pods: 2}`))
	runsInTheEnd(t, "single")
}

// runsInTheEnd waits for a rollout that a quota refuses on its way. The controller of
// ReplicaSets tries again at twice the interval each time, minutes in the end; a touch
// makes it try now.
func runsInTheEnd(t *testing.T, name string) {
	t.Helper()
	touches := 0
	touched := time.Now()
	eventually(t, soon, func(ctx context.Context) error {
		if time.Since(touched) > 5*time.Second {
			touched, touches = time.Now(), touches+1
			must(t, fmt.Sprintf("annotate replicasets --all -n team-%s --overwrite touched=%d", name, touches))
		}
		c := &v1alpha1.ServiceClaim{}
		if err := admin.Get(ctx, types.NamespacedName{Name: name}, c); err != nil {
			return err
		}
		return says(c.Status.Conditions, c.Generation, "Ready", "Running")
	})
}

// Ready falls back when what was proven stops being so.
func TestReadyFallsBack(t *testing.T) {
	t.Parallel()
	apply(t, tenant("fall", roomy), claim("fall", "fall", "image: nginx:1.27-alpine, replicas: 2"))
	claimSays(t, "fall", "Ready", "Running")
	if out, err := kubectl(t, "", "rollout", "pause", "deployment/fall", "-n", "team-fall"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	claimSays(t, "fall", "WorkloadReady", "Suspended")
	if out, err := kubectl(t, "", "rollout", "resume", "deployment/fall", "-n", "team-fall"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	claimSays(t, "fall", "Ready", "Running")
	// Past Git: Argo CD heals it, and the claim says so on the way.
	if out, err := kubectl(t, "", "set", "image", "deployment/fall", "fall=unpullable.invalid/x:1", "-n", "team-fall"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	eventually(t, soon, func(context.Context) error {
		if got := deployment(t, "fall", "fall").Spec.Template.Spec.Containers[0].Image; got != "nginx:1.27-alpine" {
			return fmt.Errorf("the Deployment still asks for %s", got)
		}
		return nil
	})
	claimSays(t, "fall", "Ready", "Running")
}
