package prometheus

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	_ "demarc.dev/demarc/internal/operator" // registers what the operator exports
)

// source is where metrics of others are documented.
type source struct {
	Source  string              `json:"source"`
	Metrics map[string][]string `json:"metrics"`
}

// target are the labels that a scrape puts on.
var target = []string{"job", "instance", "namespace", "pod"}

// TestMetricsAreThere has every metric that an alert, a panel or a recorded series names be
// one that the operator exports, or one that is listed with where it is documented, and
// every label by which it is picked one that it has.
func TestMetricsAreThere(t *testing.T) {
	exported, listed := exported(t), others(t)
	used := map[string]bool{}
	check := func(where string, s selector) {
		name := s.Metric
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base, ok := strings.CutSuffix(name, suffix); ok && exported[base] != nil {
				name = base
			}
		}
		used[name] = true
		labels := slices.Concat(exported[name], listed[name], []string{"le"})
		if exported[name] != nil {
			labels = append(labels, target...)
		} else if listed[name] == nil {
			t.Errorf("%s: nothing exports %q", where, s.Metric)
			return
		}
		for _, l := range s.Labels {
			if !slices.Contains(labels, l) {
				t.Errorf("%s: %s has no label %q", where, s.Metric, l)
			}
		}
	}
	for _, r := range ask(t, question{Files: ruleFiles(t)}).Rules {
		for _, s := range r.Expr.Reads {
			check("alert "+r.Alert, s)
		}
	}
	for _, d := range dashboards(t) {
		for where, e := range d.expressions(t) {
			for _, s := range e.Reads {
				check(where, s)
			}
		}
	}
	for name := range listed {
		if !used[name] {
			t.Errorf("testdata/others.yaml lists %s, which nothing reads", name)
		}
	}
	for name := range exported {
		if strings.HasPrefix(name, "demarc_") && !used[name] {
			t.Errorf("%s is exported, and no alert and no dashboard reads it", name)
		}
	}
	t.Logf("%d metrics", len(used))
}

// TestRecordedSeriesAreReal has the series of the tests carry labels that are there.
func TestRecordedSeriesAreReal(t *testing.T) {
	var cluster replay
	readYAML(t, "testdata/cluster.yaml", &cluster)
	all := cluster.Series
	scenes := map[string][]scene{}
	readYAML(t, "testdata/alerts.yaml", &scenes)
	for _, s := range slices.Concat(slices.Collect(maps.Values(scenes))...) {
		all = append(all, s.Series...)
	}
	exported, listed := exported(t), others(t)
	q := question{}
	for _, s := range all {
		q.Expressions = append(q.Expressions, s[:strings.LastIndex(s, "}")+1])
	}
	for _, e := range ask(t, q).Expressions {
		if e.Problem != "" || len(e.Reads) != 1 {
			t.Errorf("%s: %s", e.Text, e.Problem)
			continue
		}
		name := strings.TrimSuffix(e.Reads[0].Metric, "_bucket")
		if exported[name] == nil && listed[name] == nil {
			t.Errorf("%s: nothing exports it", e.Text)
		}
		for _, l := range slices.Concat(exported[name], listed[name]) {
			if exported[name] != nil && !slices.Contains(e.Reads[0].Labels, l) {
				t.Errorf("%s: it has a label %s as well", e.Text, l)
			}
		}
		for _, l := range e.Reads[0].Labels {
			if !slices.Contains(slices.Concat(exported[name], listed[name], target, []string{"le", "node"}), l) {
				t.Errorf("%s: it has no label %s", e.Text, l)
			}
		}
	}
}

func others(t *testing.T) map[string][]string {
	t.Helper()
	var sources []source
	readYAML(t, "testdata/others.yaml", &sources)
	all := map[string][]string{}
	for _, s := range sources {
		if !strings.HasPrefix(s.Source, "https://") {
			t.Errorf("%v: %q does not say where they are documented", s.Metrics, s.Source)
		}
		maps.Copy(all, s.Metrics)
	}
	return all
}

var description = regexp.MustCompile(`^Desc\{fqName: "([^"]+)".*variableLabels: \{([^}]*)\}\}$`)

// exported are the operator's metrics and their labels: what is registered when its packages
// are there, and what it registers when it begins.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	registry, ok := metrics.Registry.(prometheus.Collector)
	if !ok {
		t.Fatalf("controller-runtime's registry, %T, does not tell what is in it", metrics.Registry)
	}
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		registry.Describe(descriptions)
	}()
	all := map[string][]string{}
	for d := range descriptions {
		if found := description.FindStringSubmatch(d.String()); found != nil {
			all[found[1]] = append([]string{}, strings.FieldsFunc(found[2], func(r rune) bool { return r == ',' })...)
		}
	}
	maps.Copy(all, described(t, "../../internal"))
	if len(all) < 30 || all["demarc_not_ready"] == nil || all["workqueue_depth"] == nil {
		t.Fatalf("only these are known to be exported: %v", all)
	}
	return all
}

// described are the metrics that are described in the code of a folder by a literal
// prometheus.NewDesc, with their labels.
func described(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 4 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && fmt.Sprint(f.X) == "prometheus" && f.Sel.Name == "NewDesc" {
				name := literals(call.Args[0])
				all[name[0]] = append([]string{}, literals(call.Args[2])...)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func literals(n ast.Node) (all []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(l.Value); err == nil {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}
