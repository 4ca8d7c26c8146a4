package snapshot_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/snapshot"
)

// streamed is what comes of a text, a line for each.
func streamed(t *testing.T, in io.Reader) (list []string, err error) {
	t.Helper()
	err = snapshot.Stream{
		Take: func(o snapshot.Object, line int) {
			list = append(list, fmt.Sprintf("%d %s %s %s/%s", line, o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName()))
		},
		Fault:   func(line int, what string) { list = append(list, fmt.Sprintf("%d ! %s", line, what)) },
		Foreign: func(line int) { list = append(list, fmt.Sprintf("%d ?", line)) },
	}.Read(in)
	return list, err
}

func TestStream(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":         {"\n# c\n---\n---\n# d\n", nil},
		"documents":       {"\ufeff# c\nkind: A\napiVersion: v1\nmetadata: {name: a}\n--- # next\n\nkind: B\napiVersion: g/v1\n--- {kind: C, apiVersion: v1}\n", []string{"2 v1 A /a", "7 g/v1 B /", "9 v1 C /"}},
		"list of kubectl": {"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  text: |\n    - x\n\n    kind: N\n- apiVersion: v1\n  kind: B\nkind: List\nmetadata:\n  resourceVersion: \"\"\n", []string{"3 v1 A /a", "10 v1 B /"}},
		"indented":        {"kind: List\napiVersion: v1\n\"items\": # so\n  # c\n  - kind: A\n    apiVersion: v1\n    list:\n    - x\n  -\n    kind: B\n    apiVersion: v1\n", []string{"5 v1 A /", "9 v1 B /"}},
		"list of a kind":  {"apiVersion: apps/v1\nitems:\n- metadata:\n    name: a\n    namespace: ns\n- metadata: {name: b}\nkind: DeploymentList\n", []string{"3 apps/v1 Deployment ns/a", "6 apps/v1 Deployment /b"}},
		"list in braces":  {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: A}, 7, {kind: List, apiVersion: v1, items: [{apiVersion: v1, kind: B}]}]}\n", []string{"1 v1 A /", "1 ! items[1] is no object", "1 v1 B /"}},
		"empty lists":     {"apiVersion: v1\nitems: []\nkind: List\n---\napiVersion: v1\nitems:\nkind: List\n---\n{\"apiVersion\":\"v1\",\"items\":null,\"kind\":\"List\"}\n", nil},
		"json": {"{\n\"kind\":\"A\",\"apiVersion\":\"v1\"}\n\n{ \"apiVersion\": \"v1\",\n \"items\": [\n {\"kind\":\"B\",\"apiVersion\":\"v1\",\n\"n\":1},\n\n {\"kind\":\"C\",\"apiVersion\":\"v1\"}], \"kind\": \"List\"}\n---\nkind: D\napiVersion: v1\n",
			[]string{"1 v1 A /", "6 v1 B /", "9 v1 C /", "11 v1 D /"}},
		"json of a kind":        {`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}{"apiVersion":"v1","items":[{"metadata":{"name":"b"}}],"kind":"NodeList"}`, []string{"1 v1 Pod /a", "1 v1 Node /b"}},
		"cluster-info":          {"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}\n==== START logs for container a of pod b/c ====\n---\n}{ broken\n==== END logs for container a of pod b/c ====\n{\"kind\":\"A\",\"apiVersion\":\"v1\"}\n", []string{"6 v1 A /"}},
		"broken item":           {"items:\n- kind: A\n  apiVersion: v1\n- kind: [\n  x: 1\n- kind: B\n  apiVersion: v1\n- 7\nkind: List\napiVersion: v1\n", []string{"2 v1 A /", "5 ! this is no YAML: did not find expected ',' or ']'", "6 v1 B /", "8 ! an item of a list is no object"}},
		"cut list":              {"apiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n  x: 1\n- kind: B\n", []string{"3 v1 A /", "6 ! it has no apiVersion", "6 ! a list without its kind, which kubectl writes last: it is cut off here"}},
		"broken behind items":   {"items:\n- kind: A\n  apiVersion: v1\n  x: 1\nkind: List\napiVersion: [\n", []string{"2 v1 A /", "6 ! this is no YAML: did not find expected node content"}},
		"broken document":       {"a: b: c\n---\nkind: A\napiVersion: v1\n", []string{"1 ! this is no YAML: mapping values are not allowed in this context", "3 v1 A /"}},
		"cut json":              {"{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n{\"kind\":\"A\",\"apiVersion\":\"v1\"},\n{\"kind\":", []string{"2 v1 A /", "2 ! this is no JSON, and what follows is passed over: it ends before its end"}},
		"broken json":           {"{\"kind\":\"List\",\n\"apiVersion\":\"v1\",\"items\":[\n{\"kind\":\"A\",\"apiVersion\":\"v1\"},\n 7, {\"kind\" \"B\"}]}\n---\nkind: C\napiVersion: v1\n", []string{"3 v1 A /", "4 ! an item of a list is no object", "4 ! this is no JSON, and what follows is passed over: invalid character '\"' after object key", "6 v1 C /"}},
		"cut, and of no kind":   {"{\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{}}", []string{"1 ! 1 objects of a list whose kind is not told", "1 ! this is no JSON, and what follows is passed over: it ends before its end"}},
		"no object":             {"- a\n---\nkind: A\n---\napiVersion: v1\n---\na: b\n---\n{\"a\":1}\n---\nkind: [A]\napiVersion: v1\n---\nkind: A\napiVersion: v1\nmetadata: [a]\n---\nkind: A\napiVersion: v1\nmetadata: {name: 7}\n", []string{"1 ?", "3 ! it has no apiVersion", "5 ! it has no kind", "7 ?", "9 ?", "11 ! it has no kind", "14 ! A: its metadata is no set of fields", "18 ! A: metadata.name is no text"}},
		"windows":               {"apiVersion: v1\r\nitems:\r\n- apiVersion: v1\r\n  kind: A\r\nkind: List\r\n---\r\nkind: B\r\napiVersion: v1\r\n", []string{"3 v1 A /", "7 v1 B /"}},
		"items is a text":       {"{\"apiVersion\":\"v1\",\"kind\":\"A\",\"items\":\"none\"}", []string{"1 v1 A /"}},
		"items is no list":      {"{\"apiVersion\":\"v1\",\"kind\":\"A\",\"items\":{}}", []string{"1 ! this is no JSON, and what follows is passed over: items is no list"}},
		"items of another kind": {"apiVersion: v1\nitems: 7\nkind: A\n", []string{"1 v1 A /"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := streamed(t, strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			slow, err := streamed(t, iotest.OneByteReader(strings.NewReader(c.text)))
			if diff := cmp.Diff(got, slow); diff != "" || err != nil {
				t.Errorf("byte by byte it is another: %v\n%s", err, diff)
			}
		})
	}
}

// What is too large is said, and what follows it is read where that can be told apart.
func TestStreamLarge(t *testing.T) {
	long := strings.Repeat("x", 17<<20)
	for text, want := range map[string][]string{
		"apiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n  x: " + long + "\n- kind: B\n  apiVersion: v1\nkind: List\n": {"3 ! it is larger than 16 MiB", "6 v1 B /"},
		"kind: A\nx: " + long + "\n---\nkind: B\napiVersion: v1\n":                                                          {"1 ! it is larger than 16 MiB", "4 v1 B /"},
		"{\"kind\":\"A\",\n\"x\":\"" + long + "\"}\n---\nkind: B\napiVersion: v1\n":                                         {"2 ! this is no JSON, and what follows is passed over: an object is larger than 16 MiB", "4 v1 B /"},
	} {
		got, err := streamed(t, strings.NewReader(text))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%.20q: %v (-want +got)\n%s", text, err, diff)
		}
	}
}

// A reader that fails is no end of the text.
func TestStreamFails(t *testing.T) {
	failed := errors.New("failed")
	for _, begin := range []string{"", "kind: A\n", "{\"kind\":", "{\"kind\":\"A\",\"apiVersion\":\"v1\"}", "items:\n- kind: A\n"} {
		_, err := streamed(t, io.MultiReader(strings.NewReader(begin), iotest.ErrReader(failed)))
		if !errors.Is(err, failed) {
			t.Errorf("after %q: %v", begin, err)
		}
	}
}

// FuzzStream: whatever a dump holds, nothing panics, lines lie within the text, and each
// object has what every object has.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{some, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{\"kind\":\"A\",\"apiVersion\":\"v1\"}]}", "apiVersion: v1\nitems:\n- metadata: {name: a}\nkind: PodList\n---\n{", "--- {a: &a b, c: *a}\n==== START logs for container a\n", "items:\n  - - -\n -\nx"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := 1 + strings.Count(text, "\n")
		in := func(line int) {
			if line < 1 || line > lines+1 {
				t.Errorf("line %d of %d", line, lines)
			}
		}
		err := snapshot.Stream{
			Take: func(o snapshot.Object, line int) {
				in(line)
				var set snapshot.Set
				set.Add(o)
				if o.GetKind() == "" || o.GetAPIVersion() == "" || len(set.All()) != 1 {
					t.Errorf("no object: %v", o.Object)
				}
				o.DeepCopy()
			},
			Fault: func(line int, what string) {
				in(line)
				if what == "" {
					t.Error("a fault that says nothing")
				}
			},
		}.Read(strings.NewReader(text))
		if err != nil {
			t.Error(err)
		}
	})
}
