package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/kube"
)

// demarcCLI runs the command line against the sandbox.
func demarcCLI(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr})
	code = cli.Run(t.Context(), f, append(args, "--kubeconfig", box.Kubeconfig()))
	return code, stdout.String(), stderr.String()
}

// explains waits until explain delete says of an object what is wanted of it, and gives
// the blocker back.
func explains(t *testing.T, what, object, reason string) deletion.Blocker {
	t.Helper()
	var found deletion.Blocker
	eventually(t, 4*time.Minute, func(context.Context) error {
		code, out, errs := demarcCLI(t, append([]string{"explain", "delete", "-o", "json"}, strings.Fields(what)...)...)
		var report deletion.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			return fmt.Errorf("exit code %d: %s%s", code, out, errs)
		}
		for _, b := range slices.Concat(report.Blockers, report.Ahead) {
			if b.Object.String() == object && b.Reason == reason && code == 1 {
				found = b
				return nil
			}
		}
		return fmt.Errorf("exit code %d, and no %s of %s: %s", code, reason, object, out)
	})
	return found
}

// does runs the command that a blocker gives for its next step.
func does(t *testing.T, b deletion.Blocker, more ...string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", strings.Join(append([]string{b.Command}, more...), " "))
	cmd.Env = append(os.Environ(), "KUBECONFIG="+box.Kubeconfig(), "PATH="+box.BinDir()+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", b.Command, err, out)
	}
}

const heldManifest = `
apiVersion: v1
kind: ConfigMap
metadata: {name: lock}
---
`

// A stranger's finalizer on what was delivered is the root of what the claim and the
// Tenant wait for: the platform is told so, and the team, which may read less.
func TestExplainForeignFinalizer(t *testing.T) {
	t.Parallel()
	delivers(t, "held", heldManifest+fmt.Sprintf(deploymentManifest, "held"))
	claimSays(t, "held", "Ready", "Running")
	for _, o := range []string{"configmap/lock", "deployment/held"} {
		must(t, "patch "+o+` -n team-held --type=merge -p {"metadata":{"finalizers":["example.com/hold"]}}`)
	}
	explains(t, "claim/held", "deployment/held in team-held", "Finalizer") // before anything is deleted
	must(t, "delete serviceclaim held --wait=false")
	must(t, "delete tenant held --wait=false")
	claimSays(t, "held", "Drained", "ObjectsHeld")
	app := explains(t, "tenant/held", "application/held.held in argocd", "ApplicationDeleting")
	for _, o := range []string{"configmap/lock in team-held", "deployment/held in team-held"} {
		if !slices.Contains(app.WaitsFor, o) {
			t.Errorf("the Application does not wait for %s: %v", o, app.WaitsFor)
		}
		explains(t, "claim/held "+as("dev", "held"), o, "Finalizer")
		b := explains(t, "tenant/held", o, "Finalizer")
		if b.Since == nil || b.Controller != "the controller of example.com" {
			t.Errorf("it says %+v", b)
		}
		does(t, b)
	}
	isGone(t, 4*time.Minute, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "held"}})
}

// What Git asks Argo CD to keep holds the claim, and is named before it does.
func TestExplainKept(t *testing.T) {
	t.Parallel()
	kept := strings.Replace(fmt.Sprintf(deploymentManifest, "staying"), "{name: staying}",
		"{name: staying, annotations: {argocd.argoproj.io/sync-options: Delete=false}}", 1)
	delivers(t, "staying", kept)
	claimSays(t, "staying", "Ready", "Running")
	explains(t, "claim/staying", "deployment/staying in team-staying", "Kept")
	must(t, "delete serviceclaim staying --wait=false")
	claimSays(t, "staying", "Drained", "ObjectsRemain")
	does(t, explains(t, "claim/staying", "deployment/staying in team-staying", "Kept"))
	isGone(t, 4*time.Minute, &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "staying"}})
	must(t, "delete tenant staying --wait=false")
}

// application is one that somebody makes by hand.
func application(name, project, namespace, url string) string {
	return fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %s, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io/foreground]}
spec:
  project: %s
  destination: {server: 'https://kubernetes.default.svc', namespace: %s}
  source: {repoURL: '%s', path: ., targetRevision: main}
  syncPolicy: {automated: {}}
`, name, project, namespace, url)
}

// repository holds one file.
func repository(t *testing.T, name, manifest string) (url string) {
	t.Helper()
	repo, err := box.Repository(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Commit(t.Context(), "first", map[string][]byte{"all.yaml": []byte(manifest)}); err != nil {
		t.Fatal(err)
	}
	return repo.URL()
}

// A sync that waits for a Deployment which never becomes healthy comes before any
// deletion. It is somebody's Application in the team's project, so it holds the Tenant.
func TestExplainStuckSync(t *testing.T) {
	t.Parallel()
	never := strings.NewReplacer("nginx:1.27-alpine", "unpullable.invalid/stuck:1", "{name: stuck}", "{name: stuck, annotations: {argocd.argoproj.io/sync-wave: '-1'}}").
		Replace(fmt.Sprintf(deploymentManifest, "stuck"))
	url := repository(t, "stuck", heldManifest+never)
	apply(t, tenant("stuck", roomy+", sources: [{repoURL: '"+url+"'}]"))
	tenantSays(t, "stuck", "Ready", "TenantReady")
	apply(t, application("stuck", "team-stuck", "team-stuck", url))
	eventually(t, 4*time.Minute, func(ctx context.Context) error {
		app := kube.Named(argocd.ApplicationKind, "argocd", "stuck")
		if err := admin.Get(ctx, types.NamespacedName{Namespace: "argocd", Name: "stuck"}, app); err != nil {
			return err
		}
		if m, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "message"); !strings.Contains(m, "waiting for healthy state") {
			return fmt.Errorf("it does not wait: %v", app.Object["status"])
		}
		return nil
	})
	must(t, "delete tenant stuck --wait=false")
	does(t, explains(t, "tenant/stuck", "application/stuck in argocd", "ApplicationsRemain"), "--wait=false")
	b := explains(t, "tenant/stuck", "operation/stuck in argocd", "OperationRunning")
	if b.Since == nil || !strings.Contains(b.Says, "waiting for healthy state") {
		t.Errorf("it says %+v", b)
	}
	does(t, b)
	isGone(t, 4*time.Minute, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "stuck"}})
}

const narrow = `
apiVersion: v1
kind: Namespace
metadata: {name: narrow}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deliver, namespace: narrow}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{kind: ServiceAccount, name: default, namespace: narrow}]
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: narrow, namespace: argocd}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: narrow}]
  namespaceResourceWhitelist: [{group: '', kind: ConfigMap}, {group: apps, kind: Deployment}]
  destinationServiceAccounts: [{server: '*', namespace: narrow, defaultServiceAccount: 'narrow:default'}]
`

// What an AppProject no longer permits Argo CD passes over: that it will be left behind
// is said before, and is so.
func TestExplainNotPermitted(t *testing.T) {
	t.Parallel()
	url := repository(t, "narrow", heldManifest+fmt.Sprintf(deploymentManifest, "narrow"))
	apply(t, narrow, application("narrow", "narrow", "narrow", url))
	eventually(t, 4*time.Minute, func(ctx context.Context) error {
		return admin.Get(ctx, types.NamespacedName{Namespace: "narrow", Name: "narrow"}, &appsv1.Deployment{})
	})
	eventually(t, 4*time.Minute, func(context.Context) error {
		if code, out, errs := demarcCLI(t, "explain", "delete", "application/narrow"); code != 0 {
			return fmt.Errorf("exit code %d: %s%s", code, out, errs)
		}
		return nil
	})
	must(t, `patch appproject narrow -n argocd --type=merge -p {"spec":{"namespaceResourceWhitelist":[{"group":"","kind":"ConfigMap"}]}}`)
	code, out, _ := demarcCLI(t, "explain", "delete", "application/narrow")
	if code != 1 || !strings.Contains(out, "deployment/narrow in narrow: its AppProject does not permit the kind Deployment") {
		t.Errorf("exit code %d: %s", code, out)
	}
	must(t, "delete application narrow -n argocd --wait=false")
	isGone(t, 4*time.Minute, kube.Named(argocd.ApplicationKind, "argocd", "narrow"))
	isGone(t, time.Minute, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "narrow", Name: "lock"}})
	must(t, "get deployment narrow -n narrow")
	must(t, "delete namespace narrow --wait=false")
}

// What is refused is said in the API server's own words, with what to delete instead.
func TestExplainRefused(t *testing.T) {
	t.Parallel()
	apply(t, tenant("guarded", roomy))
	tenantSays(t, "guarded", "Ready", "TenantReady")
	for what, instead := range map[string]string{
		"namespace/team-guarded":                              "kubectl delete tenant.demarc.dev guarded",
		"appproject/team-guarded":                             "kubectl delete tenant.demarc.dev guarded",
		"resourcequota/demarc -n team-guarded --as=somebody":  "",
		"crd/tenants.demarc.dev":                              "",
		"tenant/guarded " + as("dev", "guarded"):              "",
		"crd/applications.argoproj.io":                        "",
		"clusterrolebinding/demarc:claims:guarded --as=a-dev": "",
	} {
		code, out, errs := demarcCLI(t, append([]string{"explain", "delete"}, strings.Fields(what)...)...)
		if hidden := strings.Contains(what, "--as=somebody") || strings.Contains(what, "--as=a-dev"); hidden {
			if code != 2 || !strings.Contains(errs, "could not be told") {
				t.Errorf("%s: exit code %d: %s%s", what, code, out, errs)
			}
			continue
		}
		if code != 1 || !strings.Contains(out, "Refused") || !strings.Contains(out, instead) {
			t.Errorf("%s: exit code %d: %s%s, want it refused with %q", what, code, out, errs, instead)
		}
	}
}

// Argo CD stands still: that is named, and nothing else. Not parallel: everybody's
// Argo CD is stopped.
func TestExplainArgoCDStopped(t *testing.T) {
	apply(t, tenant("still", roomy), claim("still", "still", "image: nginx:1.27-alpine"))
	claimSays(t, "still", "Ready", "Running")
	if err := box.Stop(t.Context(), deletion.ArgoCDController); err != nil {
		t.Fatal(err)
	}
	started := false
	start := func() {
		if started = true; box.Start(context.Background(), deletion.ArgoCDController) != nil {
			t.Error("Argo CD does not start again")
		}
	}
	defer func() {
		if !started {
			start()
		}
	}()
	must(t, "delete serviceclaim still --wait=false")
	b := explains(t, "claim/still", "controller/argocd-application-controller in argocd", "ArgoCDSilent")
	if b.Since == nil || b.Controller != "Argo CD's application controller" {
		t.Errorf("it says %+v", b)
	}
	app := explains(t, "claim/still", "application/still.still in argocd", "ApplicationDeleting")
	if !slices.Equal(app.WaitsFor, []string{b.Object.String()}) {
		t.Errorf("the Application waits for %v", app.WaitsFor)
	}
	start()
	isGone(t, 4*time.Minute, &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "still"}})
}
