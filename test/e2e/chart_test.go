package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	apply(t, tenant("paved", roomy))
	tenantSays(t, "paved", "Ready", "TenantReady")
	for name, args := range map[string][]string{
		"the seed":                {"--set", "team=paved,claim=web,image=nginx:1.27-alpine,replicas=2"},
		"with a port":             {"--set", "team=paved,claim=web,image=nginx:1.27-alpine,replicas=1,port=8080"},
		"stopped":                 {"--set", "team=paved,claim=web,image=nginx:1.27-alpine,replicas=0"},
		"a team that is a number": {"--set-string", "team=123,claim=web,image=nginx", "--set", "replicas=1"},
	} {
		args = append([]string{chart}, args...)
		helm(t, append([]string{"lint", "--strict"}, args...)...)
		rendered := helm(t, append([]string{"template", "web", "-n", "team-paved"}, args...)...)
		out, err := kubectl(t, rendered, "apply", "--dry-run=server", "-n", "team-paved", "-f", "-")
		if err != nil || strings.Contains(out, "Warning") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, want := range []string{"cpu: 100m", "memory: 128Mi", "memory: 256Mi", "type: RuntimeDefault", "allowPrivilegeEscalation: false"} {
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

// Values that are none are refused by the chart's schema, and not rendered.
func TestServiceChartRefuses(t *testing.T) {
	t.Parallel()
	chart := filepath.Join("..", "..", "charts", "service")
	for _, values := range []string{
		"claim=web,image=nginx", "team=t,claim=Web,image=nginx", "team=t,claim=web,image=nginx,replicas=-1",
		"team=t,claim=web,image=nginx,port=70000", "team=t,claim=web,image=nginx,replica=2",
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
