package e2e

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(box.BinDir(), "helm"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The paved road passes helm lint, and what it renders is taken by a real API
// server in a namespace that enforces Pod Security, with no warning.
func TestServiceChart(t *testing.T) {
	t.Parallel()
	chart := filepath.Join("..", "..", "charts", "service")
	apply(t, tenant("paved", roomy), tenant("'123'", roomy))
	tenantSays(t, "paved", "Ready", "TenantReady")
	tenantSays(t, "123", "Ready", "TenantReady")
	for name, args := range map[string][]string{
		"the seed":                {"--set", "team=paved,claim=web,image=nginx:1.27-alpine,replicas=2"},
		"with a port":             {"--set", "team=paved,claim=web,image=nginx:1.27-alpine,replicas=1,port=8080"},
		"stopped":                 {"--set", "team=paved,claim=web,image=nginx:1.27-alpine,replicas=0"},
		"a team that is a number": {"--set-string", "team=123,claim=web,image=nginx:1.27-alpine", "--set", "replicas=1"},
	} {
		space := "team-paved"
		if strings.Contains(name, "number") {
			space = "team-123"
		}
		args = append([]string{chart}, args...)
		helm(t, append([]string{"lint", "--strict"}, args...)...)
		rendered := helm(t, append([]string{"template", "web", "-n", space}, args...)...)
		out, err := kubectl(t, rendered, "apply", "--dry-run=server", "-n", space, "-f", "-")
		if err != nil || strings.Contains(out, "Warning") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, want := range []string{"cpu: 100m", "memory: 128Mi", "memory: 256Mi", "type: RuntimeDefault", "minReadySeconds: 3", "allowPrivilegeEscalation: false"} {
			if !strings.Contains(rendered, want) {
				t.Errorf("%s: no %q in\n%s", name, want, rendered)
			}
		}
		surge := "maxUnavailable: 0"
		if strings.Contains(args[2], "replicas=2") {
			surge = "maxUnavailable: 1"
		}
		if !strings.Contains(rendered, surge) {
			t.Errorf("%s: no %q", name, surge)
		}
		// An image that starts as root, as nginx does, must be able to.
		if strings.Contains(rendered, "runAsNonRoot: true") {
			t.Errorf("%s: it forbids root", name)
		}
	}
}

// In a namespace that enforces the restricted level the chart's pods are taken
// where it is told so, and refused where not.
func TestServiceChartRestricted(t *testing.T) {
	t.Parallel()
	apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: strict, labels: {pod-security.kubernetes.io/enforce: restricted}}")
	chart := filepath.Join("..", "..", "charts", "service")
	for level, says := range map[string]string{"baseline": "violates PodSecurity", "restricted": ""} {
		rendered := helm(t, "template", "web", chart, "--set", "team=strict,claim=web,image=nginx,replicas=1,port=8080,podSecurity="+level)
		out, err := kubectl(t, podOf(t, rendered), "create", "--dry-run=server", "-n", "strict", "-f", "-")
		if refused := err != nil; refused != (says != "") || !strings.Contains(out, says) {
			t.Errorf("%s: %v: %s", level, err, out)
		}
		out, err = kubectl(t, rendered, "apply", "--dry-run=server", "-n", "strict", "-f", "-")
		if err != nil || strings.Contains(out, "Warning") != (says != "") {
			t.Errorf("%s: %v: %s", level, err, out)
		}
	}
}

// podOf is the Pod that the rendered Deployment asks for.
func podOf(t *testing.T, rendered string) string {
	t.Helper()
	for _, document := range strings.Split(rendered, "\n---\n") {
		var d appsv1.Deployment
		if err := yaml.Unmarshal([]byte(document), &d); err != nil {
			t.Fatal(err)
		}
		if d.Kind != "Deployment" {
			continue
		}
		pod, err := yaml.Marshal(corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec:       d.Spec.Template.Spec,
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(pod)
	}
	t.Fatalf("no Deployment in\n%s", rendered)
	return ""
}

// A name that YAML may take for something else stays a name, all the way.
func TestNamesThatYAMLTakesForMore(t *testing.T) {
	t.Parallel()
	apply(t, tenant("yaml", roomy))
	names := []string{"y", "true", "null", "on"}
	chart := filepath.Join("..", "..", "charts", "service")
	for _, name := range names {
		rendered := helm(t, "template", name, chart, "-n", "team-yaml",
			"--set-string", "team="+name+",claim="+name+",image="+name, "--set", "replicas=1,port=80")
		if out, err := kubectl(t, rendered, "apply", "--dry-run=server", "-f", "-"); err != nil || !strings.Contains(out, "deployment.apps/"+name+" ") {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		apply(t, claim(strconv.Quote(name), "yaml", "image: nginx:1.27-alpine, port: 80"))
	}
	for _, name := range names {
		claimSays(t, name, "Ready", "Running")
	}
}

// Values that are none are refused by the chart's schema, and not rendered.
func TestServiceChartRefuses(t *testing.T) {
	t.Parallel()
	chart := filepath.Join("..", "..", "charts", "service")
	for _, values := range []string{
		"claim=web,image=nginx", "team=t,claim=Web,image=nginx", "team=t,claim=web,image=nginx,replicas=-1",
		"team=t,claim=web,image=nginx,port=70000", "team=t,claim=web,image=nginx,podSecurity=privileged", "team=t,claim=web,image=nginx,replica=2",
	} {
		out, err := exec.Command(filepath.Join(box.BinDir(), "helm"), "template", "web", chart, "--set", values).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "values don't meet the specifications of the schema") {
			t.Errorf("%s: %v\n%s", values, err, out)
		}
	}
}

// Demarc's own chart passes helm lint.
func TestDemarcChart(t *testing.T) {
	t.Parallel()
	helm(t, "lint", "--strict", filepath.Join("..", "..", "charts", "demarc"), "--kube-version", "1.37.2")
}
