package prometheus

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"
)

// folder of the chart that holds what Grafana and Prometheus read.
const folder = "../../charts/demarc/files"

type question struct {
	Files       map[string]string `json:"files"`
	Cases       []replay          `json:"cases"`
	Expressions []string          `json:"expressions"`
}

type replay struct {
	At     string   `json:"at"`
	Series []string `json:"series"`
}

// answer of the program in server/rules.
type answer struct {
	Problems    []string
	Rules       []rule
	Cases       []watched
	Expressions []expression
}

type rule struct {
	File, Group, Alert  string
	Expr                expression
	For                 string
	Labels, Annotations map[string]string
}

type alert struct{ Labels, Annotations map[string]string }

// watched are the alerts that fire at the end, and the names of those that fired at any time.
type watched struct {
	Fires []alert
	Ever  []string
}

type expression struct {
	Text, Problem string
	Reads         []selector
	Gives         int
}

type selector struct {
	Metric string
	Labels []string
}

// programs is where what is built for the tests lies.
var programs string

var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(programs, "rules")
	build := exec.Command("go", "build", "-o", path, "./rules")
	build.Dir, build.Stderr = "server", os.Stderr
	return path, build.Run()
})

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "prometheus-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	programs = dir
	return m.Run()
}

// ask has Prometheus' own code answer.
func ask(t *testing.T, q question) answer {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatalf("build Prometheus' rules: %v", err)
	}
	in, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var out, failed bytes.Buffer
	cmd := exec.CommandContext(t.Context(), path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &failed
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, failed.String())
	}
	var a answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatalf("read what Prometheus says: %v: %s", err, out.String())
	}
	return a
}

// ruleFiles are those of the chart, by name.
func ruleFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"alerts.yaml", "alerts-services.yaml"} {
		files[name] = text(t, filepath.Join(folder, name))
	}
	return files
}

func text(t *testing.T, path string) string {
	t.Helper()
	read, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(read)
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text(t, path)), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
