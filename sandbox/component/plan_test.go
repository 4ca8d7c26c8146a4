package component_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/sandbox/component"
)

var update = flag.Bool("update", false, "rewrite golden files")

func config() component.Config {
	ports := map[string]int{}
	for i, name := range component.PortNames() {
		ports[name] = 20001 + i
	}
	return component.Config{
		Dir: "/sandboxes/demo", BinDir: "/programs/bin", Self: "/sandboxes/demo/demarc-sandbox", Ports: ports, RedisPassword: "not to be shown",
	}
}

func TestPlanIsGolden(t *testing.T) {
	for name, without := range map[string]bool{"plan": false, "plan-without-argocd": true} {
		t.Run(name, func(t *testing.T) {
			c := config()
			c.WithoutArgoCD = without
			got := component.Render(component.Plan(c))
			path := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the plan changed (-want +got); to accept: go test ./sandbox/component -update\n%s", diff)
			}
		})
	}
}

// Everything listens on loopback, and no port is handed out twice.
func TestPlanListensOnLoopbackOnly(t *testing.T) {
	seen := map[int]string{}
	for _, c := range component.Plan(config()) {
		for _, arg := range c.Args {
			if strings.Contains(arg, "0.0.0.0") {
				t.Errorf("%s: %s is not loopback", c.Name, arg)
			}
		}
		for _, p := range c.Ports {
			if other := seen[p.Number]; other != "" {
				t.Errorf("%s and %s share port %d", c.Name, other, p.Number)
			}
			seen[p.Number] = c.Name
		}
	}
}

func TestPlanHidesPasswords(t *testing.T) {
	if text := component.Render(component.Plan(config())); strings.Contains(text, "not to be shown") {
		t.Error("the plan shows a password")
	}
}

// Components come after others that stand before them in the plan.
func TestPlanIsInOrder(t *testing.T) {
	before := map[string]bool{}
	for _, c := range component.Plan(config()) {
		for _, name := range c.After {
			if !before[name] {
				t.Errorf("%s comes after %s, which is not before it", c.Name, name)
			}
		}
		before[c.Name] = true
	}
}

func TestHashChangesWithTheDescription(t *testing.T) {
	c := component.Component{Name: "a", Binary: "/bin/true"}
	same, other := c, c
	other.Args = []string{"--x"}
	if c.Hash() != same.Hash() || c.Hash() == other.Hash() {
		t.Errorf("hashes %s, %s, %s", c.Hash(), same.Hash(), other.Hash())
	}
}
