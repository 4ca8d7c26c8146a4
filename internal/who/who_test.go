package who_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// question is the file of that name in a case.
type question struct {
	Object *who.Object       `json:"object"`
	Field  string            `json:"field"`
	Alert  string            `json:"alert"`
	File   *who.File         `json:"file"`
	From   who.From          `json:"from"`
	Self   *who.Self         `json:"self"`
	Allow  []string          `json:"allow"`
	Unread []snapshot.Unread `json:"unread"`
	// Unserved is that the cluster does not know the kind.
	Unserved bool `json:"unserved"`
}

// TestCases answers each testdata/*.txtar: a question, the objects that were read and
// what could not be, and the answer that is wanted.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases in testdata: %v", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := answer(t, part(archive, "question"), part(archive, "objects"))
			if *update {
				put(archive, "want", got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(part(archive, "want"), got); diff != "" {
				t.Errorf("%s(-want +got); if that is meant: go test ./internal/who -update\n%s", archive.Comment, diff)
			}
		})
	}
}

func answer(t *testing.T, asked, objects string) string {
	t.Helper()
	var q question
	if err := yaml.UnmarshalStrict([]byte(asked), &q); err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	read, err := snapshot.Parse([]byte(objects))
	if err != nil {
		t.Fatal(err)
	}
	set.Add(read...)
	for _, u := range q.Unread {
		set.Miss(u)
	}
	asking := ask(t, set, q)
	a := who.Decide(set, asking).Answer
	if asking.From == who.FromFiles {
		a = who.FromSet(set, asking)
	}
	for i := range a.Answers {
		if a.Answers[i].Duty == "" || a.Answers[i].Who == "" {
			t.Errorf("an answer without words: %+v", a.Answers[i])
		}
	}
	text, err := yaml.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ask makes the question; allow lists what who asks may do, as VERB or VERB/SUBRESOURCE.
func ask(t *testing.T, set *snapshot.Set, given question) who.Question {
	t.Helper()
	q := who.Question{Object: given.Object, File: given.File, From: given.From, Self: given.Self}
	if q.From == "" {
		q.From = who.FromCluster
	}
	var err error
	if given.Field != "" {
		if q.Field, err = who.ParseField(given.Field); err != nil {
			t.Fatal(err)
		}
	}
	if given.Alert != "" {
		if q.Alert, err = who.ParseAlert(given.Alert); err != nil {
			t.Fatal(err)
		}
	}
	if q.Object != nil {
		full, ok := who.ParseKind(q.Object.Kind, set)
		if !ok {
			t.Fatalf("no kind %s", q.Object.Kind)
		}
		full.Namespace, full.Name, full.Unserved = q.Object.Namespace, q.Object.Name, given.Unserved
		q.Object = &full
	}
	if given.Allow == nil {
		return q
	}
	for _, a := range who.Decide(set, q).Asks {
		verb := strings.TrimSuffix(a.Verb+"/"+a.Subresource, "/")
		q.Permits = append(q.Permits, who.Permit{Access: a, Allowed: cmp.Equal(given.Allow, []string{"*"}) || contains(given.Allow, verb)})
	}
	return q
}

func contains(list []string, word string) bool {
	for _, one := range list {
		if one == word {
			return true
		}
	}
	return false
}

func part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func put(a *txtar.Archive, name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
}
