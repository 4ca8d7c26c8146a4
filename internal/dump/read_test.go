package dump_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/dump"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func held(set *snapshot.Set) (list []string) {
	for _, o := range set.All() {
		list = append(list, o.GetKind()+" "+strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/"))
	}
	return list
}

// The folders of kubectl cluster-info dump, and of a must-gather.
func TestFolders(t *testing.T) {
	pod := `{"metadata":{"name":"web-1","namespace":"shop","managedFields":[{"manager":"m","time":"2026-03-02T11:00:00Z","fieldsV1":{}}]},"spec":{},"status":{}}`
	clusterInfo := write(t, t.TempDir(), map[string]string{
		"nodes.json":            `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"n1"}}]}`,
		"shop/pods.json":        `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[` + pod + `]}`,
		"shop/deployments.json": `{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{},"items":[]}`,
		"shop/web-1/logs.txt":   "==== START logs for container web of pod shop/web-1 ====\n",
	})
	read := load(t, clusterInfo)
	if diff := cmp.Diff([]string{"Node n1", "Pod shop/web-1"}, held(read.Set)); diff != "" || read.Head != nil || len(read.Faults) > 0 || read.Files != 3 {
		t.Errorf("%+v\n%s", read, diff)
	}
	entry := read.Set.Get(schema.GroupKind{Kind: "Pod"}, "shop", "web-1").GetManagedFields()[0]
	if entry.Time == nil || entry.FieldsV1 != nil {
		t.Errorf("of managed fields it keeps %+v", entry)
	}
	gathered := write(t, t.TempDir(), map[string]string{
		"quay-io/version":                                     "4.20\n",
		"quay-io/timestamp":                                   "2026-03-02 11:00:00 +0000 UTC\n",
		"quay-io/event-filter.html":                           "<html>",
		"quay-io/etcd_info/alarm_list.json":                   `[{"member":7}]`,
		"quay-io/cluster-scoped-resources/core/nodes/n1.yaml": "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n",
		"quay-io/cluster-scoped-resources/crd/x.yaml":         "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec: {versions: [{name: v1, schema: {}}]}\n",
		"quay-io/namespaces/shop/core/pods.yaml":              "---\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-1\n    namespace: shop\nkind: PodList\n",
		"quay-io/namespaces/shop/core/events.yaml":            "---\napiVersion: v1\nitems: []\nkind: EventList\n",
		"quay-io/namespaces/shop/pods/web-1/web-1.yaml":       "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: web-1\n  namespace: shop\n",
		"quay-io/namespaces/shop/pods/web-1/web/current.log":  "kind: Pod\n",
		"quay-io/namespaces/shop/example.com/crontabs/c.yaml": "---\napiVersion: example.com/v1\nkind: CronTab\nmetadata: {name: c, namespace: shop}\n",
	})
	read = load(t, gathered)
	if diff := cmp.Diff([]string{"CronTab shop/c", "CustomResourceDefinition x", "Node n1", "Pod shop/web-1"}, held(read.Set)); diff != "" || len(read.Faults) > 0 || read.Foreign != 1 {
		t.Errorf("%+v\n%s", read, diff)
	}
}

// What is broken is told with file and line, and all else is read.
func TestBroken(t *testing.T) {
	outside := write(t, t.TempDir(), map[string]string{"secret.yaml": "apiVersion: v1\nkind: Outside\n", "folder/x.yaml": "apiVersion: v1\nkind: Outside\n"})
	dir := write(t, t.TempDir(), map[string]string{
		"a.yaml":      "apiVersion: v1\nkind: A\n---\na: [\n---\napiVersion: v1\nkind: B\n",
		"b.json":      "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n{\"kind\":\"C\",\"apiVersion\":\"v1\"},\n{\"kind\"",
		"in/d.yml":    "kind: D\n",
		"empty.yaml":  "",
		"binary.json": "\x1f\x8b\x08\x00\x00",
	})
	for link, to := range map[string]string{
		"out.yaml": filepath.Join(outside, "secret.yaml"), "in/up.yaml": "../../" + filepath.Base(outside) + "/secret.yaml", "folder.yaml": filepath.Join(outside, "folder"),
		"folder": filepath.Join(outside, "folder"), "inside.yaml": "a.yaml", "nowhere.yaml": "none", "around.yaml": "around.yaml",
	} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	read := load(t, dir)
	if diff := cmp.Diff([]string{"A ", "B ", "C "}, held(read.Set)); diff != "" {
		t.Error(diff)
	}
	var faults []string
	for _, f := range read.Faults {
		faults = append(faults, strings.TrimPrefix(f.String(), dir+"/"))
	}
	link := ": a link that leads out of the folder, or nowhere, is not followed"
	want := []string{
		"a.yaml:4: this is no YAML: did not find expected node content",
		"around.yaml" + link,
		"b.json:2: this is no JSON, and what follows is passed over: it ends before its end",
		"binary.json:1: this is no YAML: control characters are not allowed",
		"folder.yaml" + link,
		"in/d.yml:1: it has no apiVersion",
		"in/up.yaml" + link,
		"inside.yaml:4: this is no YAML: did not find expected node content",
		"nowhere.yaml" + link, "out.yaml" + link,
		"pipe.yaml: it is no file",
	}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is kept once for many objects makes none of them another.
func TestCommon(t *testing.T) {
	texts := []string{secrets, "apiVersion: v1\nkind: A\nlist: [1, 1.5, true, null, a, [], {}, [1], {a: 1}]\nmap: {a: {a: 1}, b: {a: 1}, c: [{a: 1}]}\n---\napiVersion: v1\nkind: B\nlist: [{a: 1}, {a: 1.0}, {a: \"1\"}, {a: null}, {b: 1}]\n"}
	pod, err := os.ReadFile("testdata/pod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, string(pod)+"\n---\n"+strings.ReplaceAll(string(pod), "x2x4q", "other"))
	for _, text := range texts {
		read, err := dump.Load{Now: now, Stdin: strings.NewReader(text)}.Do([]string{dump.Stdin})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(setOf(t, text).All(), read.Set.All()); diff != "" {
			t.Errorf("(-as written +as kept)\n%s", diff)
		}
	}
}

// Paths that lead nowhere are an error, all of them.
func TestPaths(t *testing.T) {
	empty := t.TempDir()
	_, err := dump.Load{Now: now}.Do([]string{filepath.Join(empty, "no.yaml"), empty, os.DevNull})
	for _, says := range []string{"no.yaml: no such file", empty + ": no .yaml, .yml or .json file is in it", os.DevNull + ": it is no file and no folder"} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// A dump of others does not say when it was made: its files do, unless they lay about.
func TestWhen(t *testing.T) {
	event := "apiVersion: v1\nkind: Event\nmetadata: {name: e, creationTimestamp: 2026-03-02T09:00:00Z}\nlastTimestamp: 2026-03-02T11:30:00Z\nspec: {notAfter: 2026-03-02T11:45:00Z}\neventTime: 2027-01-01T00:00:00Z\n"
	for name, c := range map[string]struct {
		text          string
		written, want time.Time
		dated         bool
	}{
		"just now":       {event, now, now, false},
		"copied later":   {event, now.Add(3 * time.Hour), time.Date(2026, 3, 2, 11, 30, 0, 0, time.UTC), true},
		"nothing in it":  {"apiVersion: v1\nkind: A\n", now.Add(3 * time.Hour), now.Add(3 * time.Hour), false},
		"in the future":  {event, now.Add(90 * 24 * time.Hour), time.Date(2026, 3, 2, 11, 30, 0, 0, time.UTC), true},
		"written before": {event, now.Add(-30 * time.Hour), now.Add(-30 * time.Hour), false},
	} {
		path := filepath.Join(write(t, t.TempDir(), map[string]string{"a.yaml": c.text}), "a.yaml")
		if err := os.Chtimes(path, c.written, c.written); err != nil {
			t.Fatal(err)
		}
		if read := load(t, path); !read.Set.At.Equal(c.want) || read.Dated != c.dated {
			t.Errorf("%s: it is of %s, %v", name, read.Set.At, read.Dated)
		}
	}
	read, err := dump.Load{Now: now, Stdin: strings.NewReader(event)}.Do([]string{dump.Stdin})
	if err != nil || !read.Set.At.Equal(now) || len(read.Set.All()) != 1 {
		t.Errorf("the standard input: %+v, %v", read, err)
	}
}

// A dump together with other files does not say any more what is not there.
func TestTwo(t *testing.T) {
	dir := t.TempDir()
	for _, out := range []string{"a.json", "b.json"} {
		if _, err := (dump.Write{Out: filepath.Join(dir, out)}).Do(t.Context(), setOf(t, "apiVersion: v1\nkind: A\n")); err != nil {
			t.Fatal(err)
		}
	}
	for _, paths := range [][]string{{dir}, {filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}} {
		if read := load(t, paths...); read.Head != nil {
			t.Errorf("%v: %+v", paths, read.Head)
		}
	}
}

// FuzzLoad: whatever a dump holds, and whatever its head says, it is read without a panic, what
// was read is judged without one, and a dump of it is read without a fault.
func FuzzLoad(f *testing.F) {
	f.Add(secrets)
	f.Add(`{"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","managedFields":[7]}},{"apiVersion":"dump.demarc.dev/v1","kind":"Dump","at":"2026-03-02T12:00:00Z","unread":[{"verb":"list","resource":"pods","kind":"Pod"}],"listed":[{"kind":"Pod","namespace":"b"}]}]}`)
	f.Add("apiVersion: v1\nkind: Secret\ndata: 7\nmetadata:\n  annotations: [x]\n")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := dump.Load{Now: now, Stdin: strings.NewReader(text), Trim: triage.Trim}.Do([]string{dump.Stdin})
		if err != nil {
			t.Fatal(err)
		}
		triage.Check(read.Set, triage.Question{Files: read.Head == nil})
		if len(read.Set.All()) > 20 {
			return
		}
		out := filepath.Join(t.TempDir(), "dump.json")
		if _, err := (dump.Write{Out: out}).Do(t.Context(), read.Set); err != nil {
			t.Fatal(err)
		}
		again, err := dump.Load{Now: now}.Do([]string{out})
		if err != nil || len(again.Faults) > 0 || len(again.Set.All()) != len(read.Set.All()) {
			t.Errorf("%v %+v of %d objects: %v", err, again, len(read.Set.All()), again.Faults)
		}
	})
}
