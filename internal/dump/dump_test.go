package dump_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/dump"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// now is the time of the cases of triage.
var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func setOf(t testing.TB, text string) *snapshot.Set {
	t.Helper()
	list, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: now}
	set.Add(list...)
	return set
}

func load(t testing.TB, paths ...string) *dump.Read {
	t.Helper()
	read, err := dump.Load{Now: now.Add(24 * time.Hour), Trim: triage.Trim}.Do(paths)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// What is found in a dump of each case of triage is what was found of it: nothing that is
// needed is left out, and what was not read is not taken for absent.
func TestFindsTheSame(t *testing.T) {
	cases, err := filepath.Glob("../triage/testdata/*.txtar")
	if err != nil || len(cases) < 100 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	outs := []string{"dump.json", "dump.yaml", "folder"}
	for i, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name != "objects" {
				continue
			}
			set := setOf(t, string(f.Data))
			set.Miss(snapshot.Unread{Verb: "list", Resource: "secrets", Kind: "Secret"})
			set.AddListed(schema.GroupKind{Kind: "Secret"}, "team-payments")
			set.AddUnserved(schema.GroupKind{Group: "argoproj.io", Kind: "Application"})
			want := triage.Check(set, triage.Question{})
			out := filepath.Join(t.TempDir(), outs[i%len(outs)])
			if _, err := (dump.Write{Out: out}).Do(t.Context(), set); err != nil {
				t.Fatal(err)
			}
			read := load(t, out)
			if read.Head == nil || len(read.Faults) > 0 || !read.Set.At.Equal(now) || read.Set.Serves(schema.GroupKind{Group: "argoproj.io", Kind: "Application"}) {
				t.Fatalf("%s: %+v", name, read)
			}
			got := triage.Check(read.Set, triage.Question{})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-of the cluster +of its dump)\n%s", name, diff)
			}
		}
	}
}

const secrets = `
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: a, annotations: {note: cGFzc3dvcmQ}}
type: Opaque
data: {password: b3Blbi1zZXNhbWU=}
stringData: {password: open-sesame}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: a
  labels: {token-service: "yes"}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"env":"open-sesame"}'
    settings: "db-password=open-sesame user=app"
    api-token: open-sesame
    kind: plain
spec:
  containers:
  - name: web
    command: [web, --db-password, open-sesame, --token-ttl=15m]
    args: ["--api-key=open-sesame", "-c", "export DB_PASSWORD=open-sesame; exec web"]
    env:
    - {name: DB_PASSWORD, value: open-sesame}
    - {name: DB_URL, value: "postgres://app:open-sesame@db/app"}
    - {name: LEVEL, value: debug}
    - {name: TOKEN, valueFrom: {secretKeyRef: {name: db, key: password}}}
    livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: Authorization, value: "Bearer opensesameopensesame"}]}}
status:
  containerStatuses:
  - name: web
    lastState: {terminated: {exitCode: 1, message: "cannot connect: password=open-sesame"}}
---
apiVersion: v1
kind: Event
metadata: {name: e, namespace: a}
message: 'volume "db-credentials" : secret "db-credentials" not found'
note: "dial postgres://app:open-sesame@db/app: refused"
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app, namespace: a}
spec:
  source:
    helm:
      values: "auth:\n  password: open-sesame\n  level: debug\n"
      valuesObject: {auth: {password: open-sesame}, list: ["token: open-sesame"]}
      parameters: [{name: auth.password, value: open-sesame}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: a}
data: {DB_PASSWORD: open-sesame, level: debug, app.properties: "a=b\ndb.password=open-sesame\n"}
---
apiVersion: example.com/v1
kind: Database
metadata: {name: d, namespace: a}
spec: {password: open-sesame, user: app}
`

// Nothing secret is in a dump, and what is no secret is.
func TestSecretsAreLeftOut(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dump.yaml")
	set := setOf(t, secrets)
	before := set.All()[0].DeepCopy()
	written, err := dump.Write{Out: out}.Do(t.Context(), set)
	if err != nil || written.Objects != 6 || written.LeftOut["env-name"] < 6 || written.LeftOut["url-password"] != 1 || written.LeftOut["lines"] < 6 {
		t.Fatalf("%+v, %v", written, err)
	}
	if diff := cmp.Diff(before, set.All()[0]); diff != "" {
		t.Errorf("the set was changed:\n%s", diff)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, word := range []string{"sesame", "b3Blbi", "last-applied", "cGFzc3"} {
		if strings.Contains(text, word) {
			t.Errorf("%s is in it:\n%s", word, text)
		}
	}
	for _, word := range []string{"token-service: \"yes\"", "--token-ttl=15m", "value: debug", "key: password", "type: Opaque", `volume "db-credentials" : secret "db-credentials" not found`, "level: debug", "user: app", "kind: plain", "a=b", "--db-password"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in it:\n%s", word, text)
		}
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info.Mode(), err)
	}
}

// spots are where else a secret stands: each holds one, and what must stay.
const spots = `
apiVersion: v1
kind: Event
metadata: {name: e, namespace: a}
message: 'Readiness probe failed: cannot connect with DB_PASSWORD=opensesame user=app'
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a, namespace: argocd}
spec:
  source:
    plugin:
      parameters:
      - {name: api_token, string: opensesame}
      - {name: passwords, array: [opensesame]}
      - {name: auth, map: {password: opensesame, user: stays-user}}
    helm:
      parameters: [{name: db.password, value: opensesame}, {name: db.host, value: stays-host}]
      values: "credentials:\n  value: opensesame\nlevel: stays-level\n"
      valuesObject: {db: {password: opensesame, pin_token: 12345678, credentials: {value: opensesame}, host: stays-db}, redisPassword: {plain: opensesame}, list: {tokens: [opensesame]}, tokenTtl: stays-ttl,
        api: {password: {secretKeyRef: {name: stays-ref, key: stays-key}}}}
status:
  operationState: {message: "helm template --set db.password=opensesame failed"}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a, labels: {token: stays-label}}
spec:
  volumes: [{name: v, secret: {secretName: stays-secret, items: [{key: stays-item, path: stays-path}]}}]
  containers:
  - name: token-service
    image: registry.example/token-service:stays-tag
    command: [sh, -c, "mysql -popensesame; mkdir -p stays-dir"]
    args: ["-p", "opensesame", "--token", "opensesame", "--auth-token=opensesame", "-p8080", "-u", "1000:1000"]
    readinessProbe: {httpGet: {path: "/h?token=opensesame", port: 1, httpHeaders: [{name: Authorization, value: "Bearer opensesame"}]}}
    lifecycle: {postStart: {exec: {command: [curl, -u, "app:opensesame", "-H", "X-Api-Key: opensesame", "-popensesame"]}}}
status:
  message: 'PASSWORD=opensesame'
  containerStatuses: [{name: c, state: {waiting: {reason: x, message: "error: API_TOKEN=opensesame"}}, lastState: {terminated: {message: "config: API_TOKEN=opensesame"}}}]
---
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: s, namespace: a}
spec: {provider: {fake: {data: [{key: /db, value: opensesame}]}, webhook: {headers: {Authorization: "Basic opensesame"}, url: "https://x/?apikey=opensesame"}}}
status: {conditions: [{type: Ready, message: "volume \"db-credentials\" : secret \"stays-name\" not found"}]}
`

// Wherever a secret stands it is left out, and what is beside it stays.
func TestSpotsAreLeftOut(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dump.yaml")
	if _, err := (dump.Write{Out: out}).Do(t.Context(), setOf(t, spots)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, "sesame") || strings.Contains(line, "12345678") {
			t.Errorf("a secret is in it: %s", line)
		}
	}
	for _, word := range strings.FieldsFunc(spots, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz-", r) }) {
		if strings.HasPrefix(word, "stays-") && !strings.Contains(string(raw), word) {
			t.Errorf("%s is not in it:\n%s", word, raw)
		}
	}
	for _, word := range []string{"-p8080", "1000:1000"} {
		if !strings.Contains(string(raw), word) {
			t.Errorf("%s is not in it", word)
		}
	}
}

// A dump is there as a whole or not at all, and nothing that was there is lost.
func TestWhole(t *testing.T) {
	set := setOf(t, secrets)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, out := range []string{"dump.json", "folder"} {
		dir := t.TempDir()
		path := filepath.Join(dir, out)
		if _, err := (dump.Write{Out: path}).Do(ctx, set); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: broken off it ends with %v", out, err)
		}
		if left := tree(t, dir); len(left) > 0 {
			t.Errorf("%s: broken off it leaves %v", out, left)
		}
		if _, err := (dump.Write{Out: path}).Do(t.Context(), set); err != nil {
			t.Fatal(err)
		}
		was := tree(t, dir)
		if _, err := (dump.Write{Out: path}).Do(t.Context(), set); !errors.Is(err, dump.ErrThere) {
			t.Errorf("%s: a second one ends with %v", out, err)
		}
		_, err := (dump.Write{Out: path, Overwrite: true}).Do(t.Context(), set)
		if dump.IsFile(out) != (err == nil) {
			t.Errorf("%s: written over it ends with %v", out, err)
		}
		if diff := cmp.Diff(was, tree(t, dir)); diff != "" {
			t.Errorf("%s: it changed\n%s", out, diff)
		}
	}
	empty := t.TempDir()
	if _, err := (dump.Write{Out: empty}).Do(t.Context(), set); err != nil {
		t.Errorf("into an empty folder: %v", err)
	}
	want := []string{"cluster", "dump.json", "namespaces"}
	if got := names(t, empty); !slices.Equal(got, want[1:]) && !slices.Equal(got, want) {
		t.Errorf("it holds %v", got)
	}
	if _, err := (dump.Write{Out: filepath.Join(t.TempDir(), "no", "dump.json")}).Do(t.Context(), set); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
}

// A dump that was cut off is no whole one: it does not say what is not in it.
func TestCut(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dump.json")
	if _, err := (dump.Write{Out: out}).Do(t.Context(), setOf(t, secrets)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, raw[:len(raw)-300], 0o600); err != nil {
		t.Fatal(err)
	}
	if read := load(t, out); read.Head != nil || len(read.Faults) != 1 || len(read.Set.All()) == 0 {
		t.Errorf("%+v", read)
	}
}

func tree(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A dump in a file reads as kubectl reads it.
func TestIsAList(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dump.json")
	if _, err := (dump.Write{Out: out, By: "a test", Namespaces: []string{"a"}}).Do(t.Context(), setOf(t, secrets)); err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile(out)
	var list struct {
		Kind  string
		Items []map[string]any
	}
	if err := json.Unmarshal(raw, &list); err != nil || list.Kind != "List" || len(list.Items) != 7 || list.Items[6]["by"] != "a test" {
		t.Errorf("%v\n%s", err, raw)
	}
	if lines := bytes.Count(raw, []byte("\n")); lines != 9 {
		t.Errorf("%d lines", lines)
	}
}
