package drift

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func keyed(fields ...any) fieldpath.PathElement {
	var list value.FieldList
	for i := 0; i < len(fields); i += 2 {
		list = append(list, value.Field{Name: fields[i].(string), Value: value.NewValueInterface(fields[i+1])})
	}
	return fieldpath.PathElement{Key: &list}
}

func TestPaths(t *testing.T) {
	object := map[string]any{"spec": map[string]any{"containers": []any{
		map[string]any{"name": "a"}, map[string]any{"name": "b", "ports": []any{map[string]any{"containerPort": int64(80), "protocol": "TCP", "name": "x"}}}}},
		"metadata": map[string]any{"annotations": map[string]any{"a.b/c": "d"}}}
	port := with(with(with(with(field("spec", "containers"), keyed("name", "b")), field("ports")[0]), keyed("containerPort", int64(80), "protocol", "TCP")), field("name")[0])
	for _, c := range []struct {
		path                 fieldpath.Path
		words, pointer, find string
	}{
		{port, "spec.containers[b].ports[containerPort=80,protocol=TCP].name", "/spec/containers/1/ports/0/name", "x"},
		{field("metadata", "annotations", "a.b/c"), `metadata.annotations["a.b/c"]`, "/metadata/annotations/a.b~1c", "d"},
	} {
		found, ok := at(object, c.path)
		if words(c.path) != c.words || pointer(object, c.path) != c.pointer || !ok || found != c.find {
			t.Errorf("%s %s %v %v", words(c.path), pointer(object, c.path), found, ok)
		}
	}
	without(object, with(field("spec", "containers"), keyed("name", "a")))
	if list, _ := at(object, field("spec", "containers")); len(list.([]any)) != 1 {
		t.Errorf("the first is still there: %v", list)
	}
}

func TestPlainJQ(t *testing.T) {
	for jq, want := range map[string][]string{
		".spec.replicas":                           {"spec", "replicas"},
		".spec.template.spec.containers[].image":   {"spec", "template", "spec", "containers", "[]", "image"},
		`.metadata.annotations["a.b/c"]`:           {"metadata", "annotations", "a.b/c"},
		`.metadata."a.b"[]?.x`:                     {"metadata", "a.b", "[]", "x"},
		".spec.containers[] | select(.name)":       nil,
		".spec.containers[0].image":                nil,
		".. | .image":                              nil,
		"":                                         nil,
		`.spec.containers[] | .env // "x"; drop()`: nil,
	} {
		if got, _ := jqSteps(jq); !cmp.Equal(got, want) {
			t.Errorf("%s has the steps %q, want %q", jq, got, want)
		}
	}
}

const event = `{"kind":"Event","stage":"ResponseComplete","verb":"patch","requestURI":"/apis/apps/v1/namespaces/team-shop/deployments/web/scale?fieldManager=kubectl","user":{"username":"alice"},"impersonatedUser":{"username":"bob"},"userAgent":"kubectl/v1.37.2 (linux)","objectRef":{"resource":"deployments","namespace":"team-shop","name":"web","apiGroup":"apps","subresource":"scale"},"responseStatus":{"code":200},"requestObject":{"spec":{"replicas":5}},"requestReceivedTimestamp":"2026-12-01T10:14:00.5Z"}`

func TestReadAudit(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want int
		err  string
	}{
		"one":                      {event + "\n", 1, ""},
		"without an end":           {event, 1, ""},
		"a last line cut off":      {event + "\n" + event[:99], 1, ""},
		"refused":                  {strings.Replace(event, ":200", ":403", 1), 0, ""},
		"of another namespace":     {strings.ReplaceAll(event, "team-shop", "team-oak"), 0, ""},
		"a dry run":                {strings.Replace(event, "?", "?dryRun=All&", 1), 0, ""},
		"a read":                   {strings.Replace(event, "patch", "get", 1), 0, ""},
		"begun":                    {strings.Replace(event, "ResponseComplete", "RequestReceived", 1), 0, ""},
		"empty lines":              {"\n" + event + "\n\n", 1, ""},
		"no audit log":             {"time=10:00 level=info\n" + event + "\n", 0, "line 1 is no event of an audit log"},
		"a line longer than all":   {`{"kind":"Event","x":"` + strings.Repeat("a", longestEvent) + "\"}\n" + event + "\n", 1, ""},
		"one that is no event":     {event + "\n{\"kind\":\"Pod\"}\n" + event, 0, "line 2 is no event"},
		"nothing":                  {"", 0, ""},
		"a line longer at the end": {event + "\n" + strings.Repeat("a", longestEvent+1), 1, ""},
	} {
		writes, err := ReadAudit(strings.NewReader(c.text), []string{"team-shop"})
		if len(writes) != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %d writes, %v", name, len(writes), err)
		}
		for _, w := range writes {
			if w.User != "alice" || w.As != "bob" || w.Manager != "kubectl" || w.Subresource != "scale" || w.At.IsZero() {
				t.Errorf("%s: %+v", name, w)
			}
		}
	}
}

// Whatever a log holds, reading it ends in writes of the namespaces or in an error.
func FuzzReadAudit(f *testing.F) {
	f.Add(event)
	f.Add(event + "\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		writes, _ := ReadAudit(strings.NewReader(text), []string{"team-shop"})
		for _, w := range writes {
			if w.Namespace != "team-shop" && w.Namespace != "" {
				t.Errorf("%+v", w)
			}
		}
	})
}

// By their whole names alone tools are told: a writer chooses its own.
func TestTools(t *testing.T) {
	for _, c := range []struct {
		manager, operation, subresource, want string
	}{
		{"kubectl", "Update", "scale", "kubectl scale"},
		{"kubectl", "Apply", "", "kubectl apply --server-side"},
		{"kubectl-client-side-apply", "Update", "", "kubectl apply"},
		{"kubectl-edit", "Update", "", "kubectl edit"},
		{"kubectl-mallory", "Update", "", "kubectl-mallory"},
		{"mine", "Update", "scale", "mine, by the subresource scale"},
	} {
		e := entry{}
		e.Manager, e.Operation, e.Subresource = c.manager, metav1.ManagedFieldsOperationType(c.operation), c.subresource
		if got := tool(e); got != c.want {
			t.Errorf("%+v is %q", c, got)
		}
	}
}

// Of several holders the one that wrote last is told; a scaling has no time and holds what it
// wrote alone.
func TestNewest(t *testing.T) {
	at := func(manager string, minute int) entry {
		e := entry{}
		e.Manager = manager
		if minute >= 0 {
			e.Time = &metav1.Time{Time: time.Date(2026, 12, 1, 10, minute, 0, 0, time.UTC)}
		}
		return e
	}
	if got := newest([]entry{at("a", 1), at("b", 3), at("c", 2)}); got.Manager != "b" {
		t.Errorf("%s wrote last", got.Manager)
	}
	if got := newest([]entry{at("a", 1), at("b", -1), at("c", 2)}); got.Manager != "b" {
		t.Errorf("%s wrote last", got.Manager)
	}
}

// TestDocument holds docs/drift.md to tell of every finding.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/drift.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Checks {
		if want := "### " + c.ID + "\n\n**" + c.Title + ".** " + c.Means + "\n"; !strings.Contains(string(page), want) {
			t.Errorf("docs/drift.md lacks\n%s", want)
		}
	}
}
