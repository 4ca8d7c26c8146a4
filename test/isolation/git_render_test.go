package isolation

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"demarc.dev/demarc/test/cluster"
)

const (
	helmChart = "apiVersion: v2\nname: x\nversion: 0.1.0\n"
	configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: reached}\n"
)

// rendered are folders that reach out while Argo CD renders them, and what their
// claim says then.
var rendered = []struct {
	what, folder string
	files        map[string]string
	reason, says string
}{
	{"a kustomization that moves all into another team's namespace", "rogue-kustomized", map[string]string{
		"kustomization.yaml": "namespace: team-victim\nresources: [cm.yaml]\n", "cm.yaml": configMap},
		"SyncRetrying", "namespace team-victim is not permitted in project 'team-rogue'"},
	{"a kustomization with a file of the host's", "rogue-host", map[string]string{
		"kustomization.yaml": "configMapGenerator: [{name: host, files: [/etc/hostname]}]\n"},
		"RenderFailed", "security; file '/etc/hostname' is not in or below"},
	{"a kustomization with a file above the repository", "rogue-above", map[string]string{
		"kustomization.yaml": "configMapGenerator: [{name: host, files: [../../../../../../../../etc/hostname]}]\n"},
		"RenderFailed", "is not in or below"},
	{"a chart that depends on a repository that is not the team's", "rogue-chart", map[string]string{
		"Chart.yaml": helmChart + "dependencies: [{name: y, version: 1.0.0, repository: 'https://charts.example/stable'}]\n"},
		"RenderFailed", "helm repos https://charts.example/stable are not permitted in project 'team-rogue'"},
	{"Jsonnet that imports a file of the host's", "rogue-jsonnet", map[string]string{
		"x.jsonnet": "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'j'}, data: {x: importstr '/etc/hostname'}}"},
		"RenderFailed", `jsonnet import "/etc/hostname" resolves outside repository root`},
	{"values from a file of the host's", "rogue-values", map[string]string{
		"Chart.yaml": helmChart, ".argocd-source.yaml": "helm: {valueFiles: [/etc/hostname]}\n"},
		"RenderFailed", "no such file or directory"},
	{"a plugin of Argo CD's that is not there", "rogue-plugin", map[string]string{
		"cm.yaml": configMap, ".argocd-source.yaml": "plugin: {name: evil}\n"},
		"RenderFailed", `could not find cmp-server plugin with name "evil"`},
	{"another repository, by overriding the source", "rogue-override", map[string]string{
		"cm.yaml": strings.Replace(configMap, "reached", "own-folder", 1), ".argocd-source.yaml": "repoURL: VICTIM\npath: base\n"},
		"Running", ""},
	{"a template that looks up another team's Secret: it sees nothing", "rogue-lookup", map[string]string{
		"Chart.yaml": helmChart, "templates/cm.yaml": strings.Replace(configMap, "reached", "looked-up", 1) +
			"data:\n  secret: {{ lookup \"v1\" \"Secret\" \"team-victim\" \"own\" | toJson | quote }}\n" +
			"  file: {{ .Files.Get \"/etc/hostname\" | quote }}\n"},
		"Running", ""},
}

// TestGitReachesNothingWhileItRenders: neither files of Argo CD's machine, nor other
// repositories by way of overriding, nor the cluster.
func TestGitReachesNothingWhileItRenders(t *testing.T) {
	t.Parallel()
	teams(t)
	untouched := watch(t)
	for _, r := range rendered {
		files := map[string]string{}
		for name, text := range r.files {
			files[name] = strings.ReplaceAll(text, "VICTIM", url(t, "victim"))
		}
		commit(t, r.folder, files)
	}
	for _, r := range rendered {
		c := on.ClaimSays(t, patience, r.folder, "Ready", r.reason)
		if m := cluster.Message(c.Status.Conditions, "Ready"); !strings.Contains(m, r.says) {
			t.Errorf("%s: the claim says %q", r.what, m)
		}
	}
	if data := on.Must(t, "get configmap looked-up -n team-rogue -o jsonpath={.data}"); data != `{"file":"","secret":"{}"}` {
		t.Errorf("a template saw %s", data)
	}
	on.Must(t, "get configmap own-folder -n team-rogue")
	untouched()
}

// TestGitBasesElsewhereAreFetched: a limit that docs/isolation.md tells of. Argo CD
// fetches what a kustomization names; where it goes is held all the same.
func TestGitBasesElsewhereAreFetched(t *testing.T) {
	t.Parallel()
	teams(t)
	repo, err := on.Box.Repository(t.Context(), "elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Commit(t.Context(), "a base", map[string][]byte{
		"base/kustomization.yaml": []byte("resources: [cm.yaml]\n"), "base/cm.yaml": []byte(replaced(configMap, "reached", "from-elsewhere")),
	}); err != nil {
		t.Fatal(err)
	}
	commit(t, "rogue-base", map[string]string{"kustomization.yaml": "resources: ['git::" + repo.URL() + "//base?ref=main']\n"})
	on.ClaimSays(t, patience, "rogue-base", "Ready", "Running")
	on.Must(t, "get configmap from-elsewhere -n team-rogue")
}

// sources that a claim may not name, and what it says.
var sources = []struct{ what, claim, source, reason, says string }{
	{"another team's repository", "rogue-stolen", "repoURL: VICTIM, path: base", "SourceNotAllowed",
		"is not permitted in project 'team-rogue'"},
	{"a folder above the repository", "rogue-up", "repoURL: ROGUE, path: ../victim.git", "RenderFailed",
		"app path outside root"},
	{"a link out of the repository", "rogue-link", "repoURL: LINK", "RenderFailed",
		"repository contains out-of-bounds symlinks. file: passwd"},
}

// TestGitSourcesOfOthers: a claim names repositories of its Tenant's list alone, and
// nothing outside them.
func TestGitSourcesOfOthers(t *testing.T) {
	t.Parallel()
	teams(t)
	link(t, "rogue-link", "passwd", "/etc/passwd")
	named := strings.NewReplacer("VICTIM", "'"+url(t, "victim")+"'", "ROGUE", "'"+url(t, "rogue")+"'", "LINK", "'"+url(t, "rogue-link")+"'")
	for _, s := range sources {
		on.Apply(t, cluster.Claim(s.claim, "rogue", "source: {"+named.Replace(s.source)+", targetRevision: main}"))
	}
	for _, s := range sources {
		c := on.ClaimSays(t, patience, s.claim, "Ready", s.reason)
		if m := cluster.Message(c.Status.Conditions, "Ready"); !strings.Contains(m, s.says) {
			t.Errorf("%s: the claim says %q", s.what, m)
		}
	}
}

// link commits a symbolic link to a repository.
func link(t *testing.T, repository, name, target string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=rogue", "-c", "user.email=rogue@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	git("init", "--quiet", "--initial-branch=main")
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	git("add", name)
	git("commit", "--quiet", "-m", "a link")
	git("push", "--quiet", "--force", url(t, repository), "main")
}
