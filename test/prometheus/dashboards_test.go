package prometheus

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dashboard is as much of Grafana's model as is asked about here; test/prometheus/grafana
// asks Grafana's own.
type dashboard struct {
	file          string
	UID           string   `json:"uid"`
	Title         string   `json:"title"`
	Description   string   `json:"description"`
	Tags          []string `json:"tags"`
	SchemaVersion int      `json:"schemaVersion"`
	Templating    struct {
		List []variable `json:"list"`
	} `json:"templating"`
	Panels []panel `json:"panels"`
}

type variable struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Query      json.RawMessage `json:"query"`
	Definition string          `json:"definition"`
	Datasource datasource      `json:"datasource"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID          int        `json:"id"`
	Type        string     `json:"type"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Datasource  datasource `json:"datasource"`
	GridPos     place      `json:"gridPos"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []struct {
		RefID      string     `json:"refId"`
		Expr       string     `json:"expr"`
		Datasource datasource `json:"datasource"`
	} `json:"targets"`
}

type place struct{ X, Y, W, H int }

var shown = datasource{"prometheus", "${datasource}"}

func dashboards(t *testing.T) (all []dashboard) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "dashboards", "*.json"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, file := range files {
		d := dashboard{file: strings.TrimSuffix(filepath.Base(file), ".json")}
		if err := json.Unmarshal([]byte(text(t, file)), &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, d)
	}
	return all
}

// TestDashboards has each dashboard be whole: addresses that stay, one data source that is
// picked, and panels that say what they show, apart from each other.
func TestDashboards(t *testing.T) {
	for _, d := range dashboards(t) {
		if d.UID != "demarc-"+d.file || d.Title == "" || d.Description == "" || d.SchemaVersion != 42 || !slices.Contains(d.Tags, "demarc") {
			t.Errorf("%s: uid %q, title %q, description %q, schemaVersion %d, tags %v", d.file, d.UID, d.Title, d.Description, d.SchemaVersion, d.Tags)
		}
		var names []string
		for _, v := range d.Templating.List {
			names = append(names, v.Name)
			if v.Type == "datasource" && string(v.Query) != `"prometheus"` || v.Type != "datasource" && v.Datasource != shown {
				t.Errorf("%s: variable %s of %s asks %v", d.file, v.Name, v.Query, v.Datasource)
			}
		}
		want := map[string]string{"platform": "datasource", "team": "datasource team", "service": "datasource team claim"}[d.file]
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: variables %q, want %q", d.file, got, want)
		}
		ids := map[int]bool{}
		for i, p := range d.Panels {
			if ids[p.ID] {
				t.Errorf("%s: two panels have the id %d", d.file, p.ID)
			}
			ids[p.ID] = true
			p.whole(t, d.file)
			for _, q := range d.Panels[:i] {
				if p.GridPos.overlaps(q.GridPos) {
					t.Errorf("%s: %s lies over %s", d.file, p.Title, q.Title)
				}
			}
		}
	}
}

func (p panel) whole(t *testing.T, file string) {
	t.Helper()
	if p.Title == "" || p.GridPos.W < 1 || p.GridPos.X+p.GridPos.W > 24 {
		t.Errorf("%s: panel %d has no title, or does not fit: %+v", file, p.ID, p.GridPos)
	}
	if p.Type == "row" {
		return
	}
	if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource != shown || len(p.Targets) == 0 {
		t.Errorf("%s: %s: description %q, unit %q, data source %v, %d queries", file, p.Title, p.Description, p.FieldConfig.Defaults.Unit, p.Datasource, len(p.Targets))
	}
	refs := map[string]bool{}
	for _, q := range p.Targets {
		if q.Datasource != shown || refs[q.RefID] {
			t.Errorf("%s: %s: query %q asks %v, or has the name of another", file, p.Title, q.RefID, q.Datasource)
		}
		refs[q.RefID] = true
	}
}

func (a place) overlaps(b place) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

// picked are the values of the dashboards' variables on the recorded cluster.
var picked = strings.NewReplacer("$team", "shop", "$claim", "web")

var labelValues = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)

// expressions are what panels and variables ask, read by Prometheus and asked of the
// recorded cluster, by where they stand.
func (d dashboard) expressions(t *testing.T) map[string]expression {
	t.Helper()
	texts := map[string]string{}
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			texts[d.file+": "+p.Title+" "+q.RefID] = picked.Replace(q.Expr)
		}
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		parts := labelValues.FindStringSubmatch(v.Definition)
		var query struct{ Query string }
		if err := json.Unmarshal(v.Query, &query); err != nil || parts == nil || query.Query != v.Definition {
			t.Errorf("%s: variable %s: %s, %q: %v", d.file, v.Name, v.Query, v.Definition, err)
			continue
		}
		texts[d.file+": variable "+v.Name] = "count by (" + parts[2] + ") (" + picked.Replace(parts[1]) + ")"
	}
	var cluster replay
	readYAML(t, "testdata/cluster.yaml", &cluster)
	q := question{Cases: []replay{cluster}}
	places := slices.Sorted(maps.Keys(texts))
	for _, where := range places {
		q.Expressions = append(q.Expressions, texts[where])
	}
	all := map[string]expression{}
	for i, e := range ask(t, q).Expressions {
		all[places[i]] = e
	}
	return all
}

// TestDashboardsShow has Prometheus' own parser and engine take each expression, and each
// give something on the recorded cluster: a join on a label that one side has not gives
// nothing, and no error.
func TestDashboardsShow(t *testing.T) {
	for _, d := range dashboards(t) {
		all := d.expressions(t)
		for where, e := range all {
			switch {
			case e.Problem != "":
				t.Errorf("%s: %s\n%s", where, e.Problem, e.Text)
			case e.Gives == 0:
				t.Errorf("%s gives nothing on the recorded cluster: %s", where, e.Text)
			case strings.Contains(strings.ReplaceAll(e.Text, `$1"`, ""), "$"):
				t.Errorf("%s: a variable is left: %s", where, e.Text)
			}
		}
		t.Logf("%s: %d expressions", d.file, len(all))
	}
}

// TestGrafanaTakesThem has Grafana's own model of a dashboard, in a module of its own, find
// nothing that it does not know, and nothing missing.
func TestGrafanaTakesThem(t *testing.T) {
	program := filepath.Join(t.TempDir(), "grafana")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "grafana"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build Grafana's model: %v: %s", err, out)
	}
	says := func(dashboard string) string {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Stdin = strings.NewReader(dashboard)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	for _, d := range dashboards(t) {
		whole := text(t, filepath.Join(folder, "dashboards", d.file+".json"))
		if said := says(whole); said != "" {
			t.Errorf("%s: %s", d.file, said)
		}
		if said := says(strings.Replace(whole, `"colorMode"`, `"colourMode"`, 1)); !strings.Contains(said, "colourMode") {
			t.Errorf("%s with an option that there is not: Grafana's model says %q", d.file, said)
		}
	}
}
