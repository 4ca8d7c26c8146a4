package manifests_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/check/manifests"
	"demarc.dev/demarc/internal/guardrail/admitted"
)

// folder writes files, and goes there.
func folder(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(text)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

const pods = `
-- plain/a.yaml --
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - image: nginx
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Pod, metadata: {name: b}}
-- plain/values.yml --
replicas: 3
-- plain/readme.md --
apiVersion: v1
-- plain/below/c.json --
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}
-- plain/below/c.test.yaml --
name: a case
-- base/kustomization.yaml --
resources: [deploy.yaml]
configMapGenerator: [{name: settings, literals: [a=https://example.com]}]
-- base/deploy.yaml --
# the base
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
        - name: web
          image: nginx
-- overlay/kustomization.yaml --
namePrefix: prod-
resources: [../base]
patches:
  - target: {kind: Deployment}
    patch: |
      - {op: add, path: /metadata/labels, value: {more: "yes"}}
-- component/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
-- chart/Chart.yaml --
apiVersion: v2
name: web
version: 1.0.0
-- chart/values.yaml --
image: nginx
nested: {a: 1, b: 2}
-- chart/templates/pod.yaml --
{{- /* a template */ -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-{{ .Values.nested.a }}{{ .Values.nested.b }}
  namespace: {{ .Release.Namespace }}
spec:
  containers:
    - name: web
      image: {{ .Values.image }}
-- production.yaml --
image: registry.example/web:1
nested: {b: 3}
`

// said lists objects, where each is written and where its image is.
func said(g manifests.Gathered) (list []string) {
	for _, m := range g.Manifests {
		o := admitted.Meta(m.Object)
		file, line := m.Find("")
		image, at := m.Find("spec.template.spec.containers[web].image")
		list = append(list, fmt.Sprintf("%s %s %s:%d %s:%d %s", m.Object.GetObjectKind().GroupVersionKind().Kind, o.GetName(), file, line, image, at, m.From))
	}
	return list
}

func TestGather(t *testing.T) {
	folder(t, pods)
	for name, c := range map[string]struct {
		source manifests.Source
		want   []string
		notes  int
	}{
		"a file":         {manifests.Source{Paths: []string{"plain/a.yaml"}}, []string{"Pod a plain/a.yaml:1 plain/a.yaml:4 ", "Pod b plain/a.yaml:11 plain/a.yaml:11 "}, 0},
		"a folder":       {manifests.Source{Paths: []string{"plain"}}, []string{"Pod a plain/a.yaml:1 plain/a.yaml:4 ", "Pod b plain/a.yaml:11 plain/a.yaml:11 "}, 1},
		"folders below":  {manifests.Source{Paths: []string{"plain"}, Recursive: true}, []string{"Pod a plain/a.yaml:1 plain/a.yaml:4 ", "Pod b plain/a.yaml:11 plain/a.yaml:11 ", "Pod c plain/below/c.json:1 plain/below/c.json:1 "}, 1},
		"standard input": {manifests.Source{Paths: []string{"-"}, Stdin: strings.NewReader("apiVersion: v1\nkind: Pod\nmetadata: {name: i}\n")}, []string{"Pod i standard input:1 standard input:1 "}, 0},
		"a kustomization": {manifests.Source{Paths: []string{"overlay"}}, []string{
			"Deployment prod-web base/deploy.yaml:2 base/deploy.yaml:10 kustomization overlay",
			"ConfigMap prod-settings-hf78t5kc6b base/kustomization.yaml:0 base/kustomization.yaml:0 kustomization overlay"}, 0},
		"a component": {manifests.Source{Paths: []string{"component"}}, nil, 1},
		"a chart":     {manifests.Source{Paths: []string{"chart"}, Values: []string{"production.yaml"}, Namespace: "team-shop"}, []string{"Pod chart-13 chart/templates/pod.yaml:3 chart/templates/pod.yaml:7 chart chart"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := manifests.Gather(c.source)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, said(got)); diff != "" || len(got.Notes) != c.notes {
				t.Errorf("notes %q (-want +got)\n%s", got.Notes, diff)
			}
		})
	}
}

// What cannot be read is said with its place, and what would be fetched is refused.
func TestGatherNot(t *testing.T) {
	folder(t, `
-- remote/kustomization.yaml --
resources:
  - github.com/example/repo//base?ref=v1
-- address/kustomization.yaml --
resources: [https://example.com/a.yaml]
-- deep/kustomization.yaml --
resources: [../address]
-- patch/kustomization.yaml --
resources: []
patches:
  - path: https://example.com/p.yaml
-- broken/kustomization.yaml --
resources: [a.yaml]
nothing: here
-- broken/a.yaml --
{}
-- chart/Chart.yaml --
apiVersion: v2
name: web
version: 1.0.0
-- chart/templates/a.yaml --
{{ .Values.nothing.here }}
-- a.yaml --
replicas: 1
-- b.yaml --
apiVersion: v1
kind: Pod
metadata: {name: [a]}
-- values.yaml --
- a
-- c.yaml --
apiVersion: v1
kind: Pod
metadata: {name: c}
spec: {containers: no}
`)
	for path, want := range map[string]string{
		"nowhere": "nowhere: no such file", "a.yaml": "a.yaml:1: document 1: it has no apiVersion and kind", "b.yaml": "b.yaml:3", "c.yaml": "c.yaml:1: document 1: Pod c: it cannot be read",
		"remote": "remote/kustomization.yaml:2: github.com/example/repo//base?ref=v1 is not on this disk", "address": "address/kustomization.yaml:1: https://example.com/a.yaml is fetched",
		"deep": "https://example.com/a.yaml is fetched", "patch": "https://example.com/p.yaml is fetched", "broken": "broken: the kustomization cannot be built", "chart": "chart: chart web:",
	} {
		if _, err := manifests.Gather(manifests.Source{Paths: []string{path}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: it says %v, want %q", path, err, want)
		}
	}
	if _, err := manifests.Gather(manifests.Source{Paths: []string{"chart"}, Values: []string{"values.yaml"}}); err == nil || !strings.Contains(err.Error(), "these are no values") {
		t.Errorf("of a list of values it says %v", err)
	}
}

// A claim becomes what the paved road renders, in its team's namespace, with the claim's lines.
func TestClaims(t *testing.T) {
	folder(t, `
-- claim.yaml --
apiVersion: demarc.dev/v1alpha1
kind: ServiceClaim
metadata: {name: web}
spec:
  team: shop
  replicas: 2
  image: nginx:1.27
---
apiVersion: demarc.dev/v1alpha1
kind: ServiceClaim
metadata: {name: own}
spec:
  team: shop
  source: {repoURL: "https://git.example/a.git"}
`)
	g, err := manifests.Gather(manifests.Source{Paths: []string{"claim.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Claims(&v1alpha1.Platform{}); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, m := range g.Manifests {
		if m.From == "" {
			continue
		}
		o := admitted.Meta(m.Object)
		if file, line := m.Find("spec.template.spec.containers[web].image"); m.From != "ServiceClaim web" || o.GetNamespace() != "team-shop" || file != "claim.yaml" || line != 7 {
			t.Errorf("%s from %s: %s:%d", o.GetName(), m.From, file, line)
		}
		found = found || m.Object.GetObjectKind().GroupVersionKind().Kind == "Deployment"
	}
	if !found || len(g.Notes) != 1 {
		t.Errorf("it became no Deployment, or %q", g.Notes)
	}
}

func git(t *testing.T, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"}, args...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// What was there in another revision is read as it was: files, kustomizations with what
// lies elsewhere, charts with their values.
func TestBefore(t *testing.T) {
	folder(t, pods)
	git(t, "init", "-q")
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "one")
	for file, text := range map[string]string{
		"plain/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: changed}\n", "plain/new.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: new}\n",
		"base/deploy.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: changed}\n", "production.yaml": "nested: {b: 4}\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := manifests.Before(t.Context(), manifests.Source{Paths: []string{"plain", "overlay", "chart"}, Values: []string{"production.yaml"}, Namespace: "team-shop"}, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range before.Manifests {
		names = append(names, admitted.Meta(m.Object).GetName())
	}
	if diff := cmp.Diff([]string{"a", "b", "prod-web", "prod-settings-hf78t5kc6b", "chart-13"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	one, err := manifests.Before(t.Context(), manifests.Source{Paths: []string{"plain/a.yaml", "plain/new.yaml"}}, "HEAD")
	if err != nil || len(one.Manifests) != 2 {
		t.Errorf("of two files it reads %v, %v", said(one), err)
	}
}

func TestBeforeNot(t *testing.T) {
	folder(t, pods)
	none := manifests.Source{Paths: []string{"plain/a.yaml"}}
	if _, err := manifests.Before(t.Context(), none, "HEAD"); err == nil || !strings.Contains(err.Error(), "is in no Git repository") {
		t.Errorf("outside of Git it says %v", err)
	}
	git(t, "init", "-q")
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "one")
	for revision, want := range map[string]string{"nowhere": "there is no revision", "--output=x": "there is no revision"} {
		if _, err := manifests.Before(t.Context(), none, revision); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: it says %v, want %q", revision, err, want)
		}
	}
	if _, err := manifests.Before(t.Context(), manifests.Source{Paths: []string{"-"}}, "HEAD"); err == nil {
		t.Error("the standard input is compared with Git")
	}
	outside := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := manifests.Before(t.Context(), manifests.Source{Paths: []string{"plain/a.yaml", outside}}, "HEAD"); err == nil || !strings.Contains(err.Error(), "is not in the Git repository") {
		t.Errorf("of a file outside it says %v", err)
	}
}
