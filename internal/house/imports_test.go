package house

import (
	"slices"
	"strings"
	"testing"
)

// step is where a package stands between what is asked and what is done. Imports
// run one way, from a later step to an earlier one or within one:
//
//	api ← decide ← gather ← act ← cmd
type step int

const (
	unknown step = iota
	api
	decide
	gather
	act
)

// steps says where each package stands; a folder stands for all below it.
var steps = map[string]step{
	"api":                  api,
	"charts":               api,
	"internal/adoption":    decide,
	"internal/argocd":      decide,
	"internal/check":       decide,
	"internal/codeowners":  decide,
	"internal/contract":    decide,
	"internal/deletion":    decide,
	"internal/diagnosis":   decide,
	"internal/drift":       decide,
	"internal/finalizer":   decide,
	"internal/finding":     decide,
	"internal/fix":         decide,
	"internal/history":     decide,
	"internal/hosts":       decide,
	"internal/guardrail":   decide,
	"internal/manifest":    decide,
	"internal/matrix":      decide,
	"internal/owner":       decide,
	"internal/ownership":   decide,
	"internal/rbac":        decide,
	"internal/readiness":   decide,
	"internal/render":      decide,
	"internal/routes":      decide,
	"internal/secretshape": decide,
	"internal/snapshot":    decide,
	"internal/status":      decide,
	"internal/subset":      decide,
	"internal/triage":      decide,
	"internal/verify":      decide,
	"internal/who":         decide,
	"internal/chart":       gather,
	"internal/crd":         gather,
	"internal/dump":        gather,
	"internal/heartbeat":   gather,
	"internal/kube":        gather,
	"internal/prometheus":  gather,
	"internal/review":      gather,
	"internal/survey":      gather,
	"internal/controller":  act,
	"internal/operator":    act,
	"internal/cli":         act,
	"internal/report":      act,
	"internal/cli/plain":   decide,
	"cmd/demarc":           act + 1,
	"cmd/demarc-operator":  act + 1,
	"cmd/demarc-sandbox":   anything,
	"internal/house":       anything,
	"internal/testenv":     anything,
	"sandbox":              anything,
	"scenarios":            anything,
	"test":                 anything,

	"internal/check/manifests":  gather,
	"internal/diagnosis/runner": gather,
}

// anything may import anything: it runs Demarc, or tests it.
const anything step = 99

func stepOf(dir string) step {
	for ; dir != "." && dir != ""; dir = parent(dir) {
		if s, ok := steps[dir]; ok {
			return s
		}
	}
	return unknown
}

func parent(dir string) string {
	i := strings.LastIndex(dir, "/")
	return dir[:max(i, 0)]
}

func TestImportsRunOneWay(t *testing.T) {
	for _, f := range goFiles(t) {
		from := stepOf(f.dir())
		if from == unknown {
			t.Errorf("%s: no step is known for this folder: add it to steps in internal/house/imports_test.go", f.path)
		}
		if f.isTest() || from == anything {
			continue
		}
		for _, dir := range f.imports() {
			if to := stepOf(dir); to > from {
				t.Errorf("%s imports %s: imports run api ← decide ← gather ← act ← cmd, and nothing of Demarc's own imports sandbox, test or testenv",
					f.path, dir)
			}
		}
	}
}

// Controllers know nothing of each other: they meet in the API server.
func TestControllersAreApart(t *testing.T) {
	const controllers, shared = "internal/controller/", "internal/controller/outcome"
	for _, f := range goFiles(t) {
		if !strings.HasPrefix(f.dir(), controllers) || f.isTest() {
			continue
		}
		for _, dir := range f.imports() {
			if strings.HasPrefix(dir, controllers) && dir != shared {
				t.Errorf("%s imports %s: a controller imports none but %s", f.path, dir, shared)
			}
		}
	}
}

// impureAllowed are imports of what decides that look like I/O and are none, and why.
var impureAllowed = map[string]string{
	"internal/guardrail/offline context": "the API server's evaluator takes a context, in which nothing is and which never ends",
}

// What decides does no I/O and knows no clock, so that a table can test it.
func TestDecisionsArePure(t *testing.T) {
	impure := []string{"context", "io/fs", "net", "net/http", "os", "os/exec", "k8s.io/utils/clock"}
	for _, f := range goFiles(t) {
		if stepOf(f.dir()) != decide || f.isTest() {
			continue
		}
		for _, path := range f.outside() {
			if why := impureAllowed[f.dir()+" "+path]; why != "" {
				continue
			}
			client := strings.HasPrefix(path, "k8s.io/client-go/") && !strings.HasPrefix(path, "k8s.io/client-go/applyconfigurations/")
			if client || slices.Contains(impure, path) || strings.HasPrefix(path, "sigs.k8s.io/controller-runtime") {
				t.Errorf("%s imports %s: what decides gets its input handed in", f.path, path)
			}
		}
		if calls(f, "time", "Now") || calls(f, "metav1", "Now") {
			t.Errorf("%s asks for the time: have it handed in", f.path)
		}
	}
}
