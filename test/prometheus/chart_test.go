package prometheus

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/chart"
)

const install = "../../charts/demarc"

// rendered are the objects that templates/monitoring.yaml becomes, by kind and name.
func rendered(t *testing.T, monitoring any) map[string]chart.Object {
	t.Helper()
	objects, err := chart.Render(install, chart.Release{Name: "demarc", Namespace: "demarc-system", Values: map[string]any{"monitoring": monitoring}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]chart.Object{}
	for _, o := range objects {
		if strings.HasSuffix(o.Template, "/monitoring.yaml") {
			all[o.GetKind()+"/"+o.GetName()] = o
		}
	}
	return all
}

var (
	ruleObjects = []string{"PrometheusRule/demarc", "PrometheusRule/demarc-services"}
	everything  = slices.Concat([]string{"ConfigMap/demarc-dashboard-platform", "ConfigMap/demarc-dashboard-service", "ConfigMap/demarc-dashboard-team",
		"PodMonitor/demarc-operator"}, ruleObjects)
)

// TestChart has the chart make what is switched on, and nothing by itself.
func TestChart(t *testing.T) {
	on := map[string]any{"enabled": true}
	for name, c := range map[string]struct {
		values any
		want   []string
	}{
		"by itself":            {map[string]any{}, nil},
		"values of before it":  {nil, nil}, // helm upgrade --reuse-values
		"dashboards":           {map[string]any{"dashboards": on}, everything[:3]},
		"alerts":               {map[string]any{"alerts": on}, ruleObjects},
		"without the services": {map[string]any{"alerts": map[string]any{"enabled": true, "services": false}}, ruleObjects[:1]},
		"all":                  {map[string]any{"dashboards": on, "alerts": on, "podMonitor": on}, everything},
	} {
		t.Run(name, func(t *testing.T) {
			got := rendered(t, c.values)
			if diff := cmp.Diff(c.want, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for name, o := range got {
				if o.GetNamespace() != "demarc-system" || o.GetLabels()["app.kubernetes.io/name"] != "demarc" {
					t.Errorf("%s in %q, labels %v", name, o.GetNamespace(), o.GetLabels())
				}
			}
		})
	}
}

// TestChartKeepsTheFiles has rules and dashboards come through Helm as they are: what stands
// between braces in them is Prometheus' and Grafana's.
func TestChartKeepsTheFiles(t *testing.T) {
	got := rendered(t, map[string]any{"dashboards": map[string]any{"enabled": true}, "alerts": map[string]any{"enabled": true}})
	for name, file := range map[string]string{"demarc": "alerts.yaml", "demarc-services": "alerts-services.yaml"} {
		var want map[string]any
		if err := yaml.Unmarshal([]byte(text(t, filepath.Join(folder, file))), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got["PrometheusRule/"+name].Object["spec"]); diff != "" {
			t.Errorf("%s (-file +object)\n%s", file, diff)
		}
		raw, err := yaml.Marshal(got["PrometheusRule/"+name].Object["spec"])
		if err != nil {
			t.Fatal(err)
		}
		a := ask(t, question{Files: map[string]string{file: string(raw)}})
		if len(a.Problems) > 0 || len(a.Rules) == 0 || !strings.Contains(string(raw), "{{ $labels.") {
			t.Errorf("%s: Prometheus takes %d rules of what it becomes: %v", file, len(a.Rules), a.Problems)
		}
	}
	for _, name := range []string{"platform", "team", "service"} {
		o := got["ConfigMap/demarc-dashboard-"+name]
		data, _ := o.Object["data"].(map[string]any)
		if want := strings.TrimSpace(text(t, filepath.Join(folder, "dashboards", name+".json"))); data["demarc-"+name+".json"] != want || len(data) != 1 {
			t.Errorf("dashboard %s is not the file", name)
		}
		if o.GetLabels()["grafana_dashboard"] != "1" {
			t.Errorf("dashboard %s: labels %v", name, o.GetLabels())
		}
		if raw, err := json.Marshal(o.Object); err != nil || len(raw) > 250_000 { // kubectl apply keeps what it applied in an annotation
			t.Errorf("dashboard %s: %d bytes, %v", name, len(raw), err)
		}
	}
}

// TestChartSettings has each setting do what its comment in values.yaml says.
func TestChartSettings(t *testing.T) {
	got := rendered(t, map[string]any{
		"docs":       "https://git.example/demarc/blob/v0.1.0/",
		"dashboards": map[string]any{"enabled": true, "namespace": "grafana", "labels": map[string]any{"grafana_dashboard": nil, "board": true}, "annotations": map[string]any{"grafana_folder": "Demarc"}},
		"alerts":     map[string]any{"enabled": true, "labels": map[string]any{"release": "prometheus"}},
		"podMonitor": map[string]any{"enabled": true, "interval": "15s", "labels": map[string]any{"release": "prometheus"}},
	})
	board := got["ConfigMap/demarc-dashboard-team"]
	if _, there := board.GetLabels()["grafana_dashboard"]; there || board.GetNamespace() != "grafana" || board.GetLabels()["board"] != "true" || board.GetAnnotations()["grafana_folder"] != "Demarc" {
		t.Errorf("%v", board.Object["metadata"])
	}
	for _, name := range append([]string{"PodMonitor/demarc-operator"}, ruleObjects...) {
		if got[name].GetLabels()["release"] != "prometheus" {
			t.Errorf("%s: labels %v", name, got[name].GetLabels())
		}
	}
	if s := got["PodMonitor/demarc-operator"].Text; !strings.Contains(s, `interval: "15s"`) || !strings.Contains(s, "port: metrics") {
		t.Error(s)
	}
	for _, name := range ruleObjects {
		rules := got[name].Text
		const page = "https://git.example/demarc/blob/v0.1.0/docs/monitoring.md#"
		if n := strings.Count(rules, "runbook_url: "); n == 0 || strings.Count(rules, "runbook_url: "+page) != n || strings.Contains(rules, ": docs/") {
			t.Errorf("%s: not all links begin with %s", name, page)
		}
	}
	for _, wrong := range []string{"docs", "https://git.example/demarc", "https://git.example/a b/"} {
		_, err := chart.Render(install, chart.Release{Name: "demarc", Values: map[string]any{"monitoring": map[string]any{"docs": wrong}}})
		if err == nil || !strings.Contains(err.Error(), "set the address that the folder docs is below") {
			t.Errorf("docs %q: %v", wrong, err)
		}
	}
}
