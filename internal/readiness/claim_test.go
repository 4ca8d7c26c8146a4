package readiness

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/render"
)

const image = "nginx:1.27-alpine"

// running is a claim for two replicas that is as it should be; each case of a
// table changes one thing.
func running() *Claim {
	claim := &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1alpha1.ServiceClaimSpec{
		Team: "shop", Image: image, Replicas: ptr.To[int32](2)}}
	settings := render.SettingsOf(&v1alpha1.Platform{Spec: v1alpha1.PlatformSpec{
		Chart: &v1alpha1.PlatformChart{RepoURL: "https://git.example/platform.git", TargetRevision: "v1"}}})
	desired, err := render.Application(claim, settings)
	if err != nil {
		panic(err)
	}
	app, err := argocd.Decode(desired)
	if err != nil {
		panic(err)
	}
	app.Status.Sync.Status, app.Status.Sync.Revision = "Synced", "abc"
	app.Status.Sync.ComparedTo.Source, app.Status.Sync.ComparedTo.Destination = app.Spec.Source, app.Spec.Destination
	app.Status.Health.Status = "Healthy"
	app.Status.OperationState = &argocd.Operation{Phase: "Succeeded", FinishedAt: "2026-11-30T10:00:00Z"}
	app.Status.ReconciledAt = "2026-11-30T10:00:01Z"
	return &Claim{
		Claim: claim, ArgoCD: true, Desired: desired, Application: app,
		Tenant: &v1alpha1.Tenant{Status: v1alpha1.TenantStatus{Conditions: []metav1.Condition{{Type: Ready, Status: metav1.ConditionTrue, Reason: "TenantReady"}}}},
		Live: Live{Deployment: &appsv1.Deployment{
			Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](2), Template: corev1.PodTemplateSpec{Spec: podSpec(image)},
				Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: ptr.To(intstr.FromInt32(1))}}},
			Status: appsv1.DeploymentStatus{Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2},
		}},
		Pods: []corev1.Pod{pod(image), pod(image)},
	}
}

func podSpec(image string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: image}}}
}

func pod(image string) corev1.Pod {
	return corev1.Pod{Spec: podSpec(image), Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}
}

func waiting(reason, message string) corev1.Pod {
	p := pod(image)
	p.Status = corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "web", Image: image,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}}
	return p
}

func (c *Claim) refuse(message string) {
	c.Live.Deployment.Status.Conditions = append(c.Live.Deployment.Status.Conditions,
		appsv1.DeploymentCondition{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: message})
}

func (c *Claim) overdueNow() {
	c.Live.Deployment.Status.Conditions = append(c.Live.Deployment.Status.Conditions,
		appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded", Message: "timed out"})
}

const overQuota = `pods "web-7d9f8b7c6-x7z2k" is forbidden: exceeded quota: demarc, requested: pods=1, used: pods=2, limited: pods=2`

// Every state of a claim that is to be told apart, by the one thing that makes it.
func TestClaimStates(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Claim)
		want   string // reason of Ready
		says   string // part of its message
	}{
		{"as it should be", func(*Claim) {}, "Running", "2 replicas of " + image + " run, as asked"},

		{"no Tenant", func(c *Claim) { c.Tenant, c.Application, c.Live.Deployment, c.Pods = nil, nil, nil, nil }, "TenantNotFound", "waiting for Tenant shop"},
		{"a Tenant that is not ready", func(c *Claim) {
			c.Tenant.Status.Conditions[0].Status, c.Tenant.Status.Conditions[0].Reason = metav1.ConditionFalse, "NamespaceTaken"
			c.Application, c.Live.Deployment, c.Pods = nil, nil, nil
		}, "TenantNotReady", "(NamespaceTaken)"},
		{"a Tenant that goes", func(c *Claim) {
			c.Tenant.DeletionTimestamp, c.Application, c.Live.Deployment, c.Pods = &metav1.Time{}, nil, nil, nil
		}, "TenantTerminating", "being deleted"},
		{"a Tenant that stopped being ready, under a service that runs", func(c *Claim) {
			c.Tenant.Status.Conditions[0].Status = metav1.ConditionFalse
		}, "Running", ""},

		{"no Argo CD", func(c *Claim) { c.ArgoCD = false }, "ArgoCDAbsent", "not installed"},
		{"somebody else's Application", func(c *Claim) {
			c.Trouble = &Trouble{"ApplicationTaken", "application/shop.web exists and belongs to x"}
		}, "ApplicationTaken", "belongs to x"},
		{"just created", func(c *Claim) { c.Application, c.Live.Deployment, c.Pods = nil, nil, nil }, "WaitingForArgoCD", "not yet compared"},
		{"compared with an older spec", func(c *Claim) {
			c.Application.Status.Sync.ComparedTo.Source = map[string]any{"repoURL": "https://git.example/platform.git"}
		}, "WaitingForArgoCD", "not yet compared"},
		{"a value that is gone from the spec is still in what was compared", func(c *Claim) {
			c.Application.Status.Sync.ComparedTo.Source = map[string]any{"helm": map[string]any{"valuesObject": map[string]any{"port": int64(80)}}}
			for k, v := range c.Application.Spec.Source {
				if k != "helm" {
					c.Application.Status.Sync.ComparedTo.Source[k] = v
				}
			}
		}, "WaitingForArgoCD", ""},
		{"the repository cannot be read", func(c *Claim) {
			c.Application.Status.Conditions = []argocd.Condition{{Type: "ComparisonError", Message: "rpc error: authentication required: Repository not found"}}
		}, "RepositoryError", "authentication required"},
		{"it does not render", func(c *Claim) {
			c.Application.Status.Conditions = []argocd.Condition{{Type: "ComparisonError", Message: "failed to execute helm template in /tmp/f3a/charts: nil pointer"}}
		}, "RenderFailed", "<folder>"},
		{"the project does not allow it", func(c *Claim) {
			c.Application.Status.Conditions = []argocd.Condition{{Type: "InvalidSpecError", Message: "repo not permitted"}}
		}, "ApplicationInvalid", "not permitted"},
		{"a warning is no error", func(c *Claim) {
			c.Application.Status.Conditions = []argocd.Condition{{Type: "OrphanedResourceWarning", Message: "x"}}
		}, "Running", ""},
		{"syncing", func(c *Claim) { c.Application.Status.OperationState.Phase = "Running" }, "Syncing", ""},
		{"a sync that is retried", func(c *Claim) {
			c.Application.Status.OperationState = &argocd.Operation{Phase: "Running", RetryCount: 2, Message: "one or more objects failed to apply. Retrying attempt #2 at 9:59PM."}
		}, "SyncRetrying", "tries again what it could not deliver: one or more objects failed to apply. Next"},
		{"the next attempt keeps the words of the last", func(c *Claim) {
			c.Application.Status.OperationState = &argocd.Operation{Phase: "Running", RetryCount: 2, Message: "waiting for completion"}
			c.Claim.Status.Conditions = []metav1.Condition{{Type: DeliveryReady, Status: metav1.ConditionFalse, Reason: "SyncRetrying", Message: "service/web: port is taken. Next, team: mend it"}}
		}, "SyncRetrying", "port is taken"},
		{"a sync of another spec that failed", func(c *Claim) {
			c.Application.Status.OperationState.Phase = "Failed"
			c.Application.Status.OperationState.SyncResult.Source = map[string]any{"repoURL": "elsewhere"}
			c.Application.Status.Sync.Status = "OutOfSync"
		}, "Syncing", ""},
		{"an error of another spec", func(c *Claim) {
			c.Application.Status.Conditions = []argocd.Condition{{Type: "ComparisonError", Message: "nil pointer"}}
			c.Application.Status.Sync.ComparedTo.Source = map[string]any{"repoURL": "https://git.example/platform.git"}
		}, "WaitingForArgoCD", ""},
		{"a sync that failed", func(c *Claim) {
			c.Application.Status.OperationState.Phase, c.Application.Status.OperationState.Message = "Failed", "one or more objects failed to apply"
			c.Application.Status.Sync.Status = "OutOfSync"
		}, "SyncFailed", "failed to apply"},
		{"a sync that waits for a hook", func(c *Claim) {
			op := c.Application.Status.OperationState
			op.Phase, op.Message = "Running", "waiting for completion of hook batch/Job/migrate"
		}, "WaitingForHook", "batch/Job/migrate"},
		{"a sync that failed for several, in no order", func(c *Claim) {
			op := c.Application.Status.OperationState
			op.Phase, c.Application.Status.Sync.Status = "Failed", "OutOfSync"
			op.SyncResult.Resources = []argocd.ResourceResult{
				{Kind: "Service", Name: "web", Status: "SyncFailed", Message: "port is taken"},
				{Kind: "Role", Name: "all", Status: "SyncFailed", Message: "not permitted"},
			}
		}, "SyncFailed", "role/all: not permitted; failed too: service/web"},
		{"a sync of another revision that failed", func(c *Claim) {
			c.Application.Status.OperationState.Phase, c.Application.Status.OperationState.SyncResult.Revision = "Failed", "older"
		}, "Running", ""},
		{"right after a sync, before it is compared", func(c *Claim) {
			c.Application.Status.Sync.Status, c.Application.Status.ReconciledAt = "OutOfSync", "2026-11-30T09:59:59Z"
		}, "Syncing", ""},
		{"changed past Git", func(c *Claim) {
			c.Application.Status.Sync.Status = "OutOfSync"
			c.Application.Status.Resources = []argocd.Resource{{Kind: "Deployment", Name: "web", Status: "OutOfSync"}}
		}, "OutOfSync", "deployment/web"},
		{"unknown", func(c *Claim) { c.Application.Status.Sync.Status = "Unknown" }, "WaitingForArgoCD", ""},

		{"Synced and Healthy over nothing", func(c *Claim) { c.Live.Deployment, c.Pods = nil, nil }, "Progressing", "waiting for 2"},
		{"another image in the Deployment", func(c *Claim) { c.Live.Deployment.Spec.Template.Spec = podSpec("nginx:1.26") }, "ImageMismatch", "asks for nginx:1.26"},
		{"another image in a pod", func(c *Claim) { c.Pods[1].Spec = podSpec("nginx:1.26") }, "ImageMismatch", "runs nginx:1.26"},
		{"a sidecar before the service's own container", func(c *Claim) {
			for i := range c.Pods {
				c.Pods[i].Spec.Containers = append([]corev1.Container{{Name: "proxy", Image: "envoy:1"}}, c.Pods[i].Spec.Containers...)
			}
		}, "Running", ""},
		{"a pod that is not ready", func(c *Claim) { c.Pods[1].Status.Conditions[0].Status = corev1.ConditionFalse }, "Progressing", "waiting for 2"},
		{"a pod that is going", func(c *Claim) { c.Pods[1].DeletionTimestamp = &metav1.Time{} }, "Progressing", ""},
		{"one available of two", func(c *Claim) { c.Live.Deployment.Status.AvailableReplicas = 1 }, "Progressing", ""},
		{"an old pod left", func(c *Claim) { c.Live.Deployment.Status.Replicas = 3 }, "Progressing", ""},
		{"a status of an older generation", func(c *Claim) { c.Live.Deployment.Generation = 2 }, "Progressing", ""},
		{"paused", func(c *Claim) { c.Live.Deployment.Spec.Paused = true }, "Suspended", "paused"},
		{"over its deadline", func(c *Claim) { c.Live.Deployment.Status.AvailableReplicas = 1; c.overdueNow() }, "Degraded", "no progress in time"},
		{"Argo CD sees something else degraded", func(c *Claim) { c.Application.Status.Health.Status = "Degraded" }, "Degraded", ""},
		{"Argo CD waits for something else", func(c *Claim) { c.Application.Status.Health.Status = "Progressing" }, "Progressing", "waiting for 2"},

		{"an image that cannot be pulled", func(c *Claim) { c.Pods[0] = waiting("ImagePullBackOff", `Back-off pulling image "x"`) }, "ImagePullFailed", "Back-off pulling"},
		{"a crash loop", func(c *Claim) { c.Pods[0] = waiting("CrashLoopBackOff", "back-off 2m40s restarting failed container") }, "CrashLooping", "back-off restarting"},
		{"a missing ConfigMap", func(c *Claim) { c.Pods[0] = waiting("CreateContainerConfigError", `configmap "x" not found`) }, "ContainerConfigError", "not found"},
		{"a container that is being made", func(c *Claim) {
			c.Pods[0] = waiting("ContainerCreating", "")
			c.Live.Deployment.Status.AvailableReplicas = 1
		}, "Progressing", ""},
		{"no node takes it", func(c *Claim) {
			c.Pods[0].Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available"}}
		}, "Unschedulable", "0/3 nodes"},

		{"a quota that is too small", func(c *Claim) {
			c.refuse(overQuota)
			c.Live.Deployment.Status.UpdatedReplicas = c.Live.Deployment.Status.Replicas
		}, "QuotaExceeded", `pods "web-7d9f8b7c6-*" is forbidden: exceeded quota`},
		{"a full budget with room to take one down", func(c *Claim) { c.refuse(overQuota); c.Live.Deployment.Status.UpdatedReplicas = 0 }, "Progressing", "make room"},
		{"a full budget that does not move", func(c *Claim) { c.refuse(overQuota); c.Live.Deployment.Status.UpdatedReplicas = 0; c.overdueNow() }, "NoRoomToRoll", ""},
		{"a full budget, and an image that cannot be pulled", func(c *Claim) {
			c.refuse(overQuota)
			c.Live.Deployment.Status.UpdatedReplicas, c.Pods[0] = 1, waiting("ErrImagePull", "not found")
		}, "ImagePullFailed", "not found"},
		{"an old pod that crashes while the new image rolls", func(c *Claim) {
			c.Pods[0] = waiting("CrashLoopBackOff", "x")
			c.Pods[0].Spec = podSpec("nginx:1.26")
			c.Live.Deployment.Status.AvailableReplicas = 1
		}, "Progressing", ""},
		{"a full budget at one replica", func(c *Claim) {
			c.Claim.Spec.Replicas = ptr.To[int32](1)
			c.refuse(overQuota)
			c.Live.Deployment.Status = appsv1.DeploymentStatus{Replicas: 1, AvailableReplicas: 1, Conditions: c.Live.Deployment.Status.Conditions}
			c.Live.Deployment.Spec.Strategy.RollingUpdate.MaxUnavailable = ptr.To(intstr.FromInt32(0))
			c.Quota = &corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{
				Hard: corev1.ResourceList{"pods": resource.MustParse("2")}, Used: corev1.ResourceList{"pods": resource.MustParse("2")}}}
		}, "NoRoomToRoll", "free 1 of pods"},
		{"a request above the default limit", func(c *Claim) {
			c.refuse(`Pod "web-1" is invalid: spec.containers[0].resources.requests: Invalid value: "1Gi": must be less than or equal to memory limit of 256Mi`)
		}, "RequestAboveDefaultLimit", "256Mi"},
		{"refused by admission", func(c *Claim) {
			c.refuse(`pods "web-1" is forbidden: violates PodSecurity "baseline:latest": privileged`)
		}, "PodsRefused", "violates PodSecurity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := running()
			c.change(in)
			out := in.Decide()
			ready := meta.FindStatusCondition(out.Conditions, Ready)
			if ready.Reason != c.want || !strings.Contains(ready.Message, c.says) {
				t.Fatalf("Ready is %s (%s)\nwant %s with %q", ready.Reason, ready.Message, c.want, c.says)
			}
			coherent(t, out.Conditions)
		})
	}
}

// coherent holds what is true of conditions in every state: each has a reason
// that is known, what is not Ready says who acts, and kstatus reads the same.
func coherent(t *testing.T, conditions []metav1.Condition) {
	t.Helper()
	ready := meta.FindStatusCondition(conditions, Ready)
	for _, c := range conditions {
		if c.Status == metav1.ConditionFalse {
			if _, known := ownership.Reasons[c.Reason]; !known {
				t.Errorf("%s has the reason %s, which is not in the table", c.Type, c.Reason)
			}
			if !strings.Contains(c.Message, ". Next, ") {
				t.Errorf("%s does not say who acts: %q", c.Type, c.Message)
			}
		}
	}
	progress := meta.IsStatusConditionTrue(conditions, Reconciling) != meta.IsStatusConditionTrue(conditions, Stalled)
	if (ready.Status == metav1.ConditionTrue) == progress {
		t.Errorf("Ready=%s with Reconciling or Stalled: %v", ready.Status, progress)
	}
}

func TestZeroReplicas(t *testing.T) {
	in := running()
	in.Claim.Spec.Replicas = ptr.To[int32](0)
	in.Desired, _ = render.Application(in.Claim, render.SettingsOf(&v1alpha1.Platform{Spec: v1alpha1.PlatformSpec{
		Chart: &v1alpha1.PlatformChart{RepoURL: "https://git.example/platform.git", TargetRevision: "v1"}}}))
	in.Application.Status.Sync.ComparedTo.Source = mustSource(in)
	if got := meta.FindStatusCondition(in.Decide().Conditions, Ready); got.Reason != "Progressing" {
		t.Errorf("with pods left: %s (%s)", got.Reason, got.Message)
	}
	in.Live.Deployment.Spec.Replicas, in.Live.Deployment.Status, in.Pods = ptr.To[int32](0), appsv1.DeploymentStatus{}, nil
	if got := meta.FindStatusCondition(in.Decide().Conditions, Ready); got.Status != metav1.ConditionTrue || got.Reason != "ScaledToZero" {
		t.Errorf("with none left: %s (%s)", got.Reason, got.Message)
	}
}

func mustSource(in *Claim) map[string]any {
	app, err := argocd.Decode(in.Desired)
	if err != nil {
		panic(err)
	}
	return app.Spec.Source
}

// The drain must not forget what was delivered: the inventory only shrinks when
// the claim is proven.
func TestInventoryOnlyShrinksWhenProven(t *testing.T) {
	in := running()
	in.Claim.Status.Inventory = []v1alpha1.ClaimObject{{Version: "v1", Kind: "Service", Namespace: "team-shop", Name: "old"}}
	in.Application.Status.Resources = []argocd.Resource{
		{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "team-shop", Name: "web"},
		{Version: "v1", Kind: "Pod", Namespace: "team-shop", Name: "hook", Hook: true},
		// Refused by the project, and listed by Argo CD all the same.
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "cluster-admin"},
		{Version: "v1", Kind: "ResourceQuota", Namespace: "team-shop", Name: "demarc"},
		{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "team-other", Name: "web"},
	}
	if got := in.Decide().Inventory; len(got) != 1 || got[0].Name != "web" {
		t.Errorf("proven: %+v", got)
	}
	in.Live.Deployment.Status.AvailableReplicas = 0
	if got := in.Decide().Inventory; len(got) != 2 {
		t.Errorf("not proven: %+v", got)
	}
}

func TestSourceStates(t *testing.T) {
	ok := Workload{Kind: "StatefulSet", Name: "db", Observed: true, Asked: 1, Available: 1}
	for _, c := range []struct {
		name      string
		workloads []Workload
		want      string
	}{
		{"all there", []Workload{ok}, "Running"},
		{"nothing that runs all the time", nil, "Running"},
		{"a pod in trouble", []Workload{{Kind: "Deployment", Name: "x", Observed: true, Asked: 1, Trouble: &Trouble{"ImagePullFailed", "not found"}}}, "ImagePullFailed"},
		{"one missing", []Workload{ok, {Kind: "Deployment", Name: "x", Missing: true}}, "Progressing"},
		{"one not observed", []Workload{{Kind: "Deployment", Name: "x", Asked: 1, Available: 1}}, "Progressing"},
		{"one not available", []Workload{{Kind: "Deployment", Name: "x", Observed: true, Asked: 2, Available: 1}}, "Progressing"},
		{"one refused", []Workload{{Kind: "Deployment", Name: "x", Observed: true, Refused: overQuota}}, "QuotaExceeded"},
	} {
		in := running()
		in.Claim.Spec.Image, in.Claim.Spec.Source = "", &v1alpha1.ClaimSource{RepoURL: "https://git.example/platform.git"}
		in.Workloads = c.workloads
		in.Application.Status.Resources = []argocd.Resource{{Version: "v1", Kind: "ConfigMap", Name: "x"}}
		out := in.Decide()
		if got := meta.FindStatusCondition(out.Conditions, Ready); got.Reason != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got.Reason, got.Message, c.want)
		}
		coherent(t, out.Conditions)
	}
}
