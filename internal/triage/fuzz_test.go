package triage_test

import (
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

func objectsOf(tb testing.TB) (texts []string) {
	tb.Helper()
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		tb.Fatalf("no cases: %v", err)
	}
	for _, name := range cases {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, part(archive, "objects"))
	}
	return texts
}

// In which order objects are read makes no difference.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // an order, and no secret
	for _, text := range objectsOf(t) {
		list, err := snapshot.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var first string
		for range 4 {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			set := &snapshot.Set{At: now}
			set.Add(list...)
			got := describe(triage.Check(set, triage.Question{}))
			if first == "" {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}

// Checks change nothing of what they are given.
func TestReadOnly(t *testing.T) {
	for _, text := range objectsOf(t) {
		list, err := snapshot.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		set := &snapshot.Set{At: now}
		for _, o := range list {
			set.Add(o.DeepCopy())
		}
		before := set.All()
		copies := make([]snapshot.Object, len(before))
		for i, o := range before {
			copies[i] = o.DeepCopy()
		}
		triage.Check(set, triage.Question{})
		if diff := cmp.Diff(copies, before); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestLess takes fields out of objects, or puts something else there: nothing panics. Objects
// of older clusters, and those that are just made, lack much.
func TestLess(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // a choice of fields, and no secret
	for _, text := range objectsOf(t) {
		list, err := snapshot.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			set := &snapshot.Set{At: now}
			for _, o := range list {
				o = o.DeepCopy()
				for range random.IntN(3) {
					damage(random, o.Object)
				}
				if random.IntN(2) == 0 {
					triage.Trim(o)
				}
				if o.GetKind() != "" && o.GetAPIVersion() != "" {
					set.Add(o)
				}
			}
			triage.Check(set, triage.Question{})
		}
	}
}

// damage goes down into an object and takes away, or changes, what is there.
func damage(random *rand.Rand, at any) {
	for {
		var below any
		switch in := at.(type) {
		case map[string]any:
			key := pick(random, in)
			if below = in[key]; random.IntN(4) == 0 && key != "kind" && key != "apiVersion" && key != "metadata" {
				if random.IntN(3) == 0 {
					in[key] = []any{nil, "text", int64(7), map[string]any{}, []any{nil}}[random.IntN(5)]
				} else {
					delete(in, key)
				}
				return
			}
		case []any:
			if len(in) > 0 {
				below = in[random.IntN(len(in))]
			}
		default:
			return
		}
		at = below
	}
}

func pick(random *rand.Rand, in map[string]any) string {
	keys := slices.Sorted(maps.Keys(in))
	if len(keys) == 0 {
		return ""
	}
	return keys[random.IntN(len(keys))]
}

// FuzzCheck: what a dump holds is data. Whatever it is, nothing panics, each finding shows
// something, and no command holds what a shell would take for more than words.
func FuzzCheck(f *testing.F) {
	for _, text := range objectsOf(f) {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, files bool) {
		list, err := snapshot.Parse([]byte(text))
		if err != nil {
			return
		}
		set := &snapshot.Set{At: now}
		set.Add(list...)
		report := triage.Check(set, triage.Question{Files: files})
		each(report, func(f finding.Finding) {
			if len(f.Evidence) == 0 || f.Owner == "" || len(f.Next) == 0 {
				t.Errorf("%s of %s lacks something", f.ID, f.Object)
			}
			for _, s := range f.Next {
				for _, r := range s.Command {
					if r < ' ' || r > '~' || r == ';' || r == '$' || r == '`' || r == '|' || r == '&' || r == '>' || r == '\'' || r == '"' {
						t.Errorf("%s: a command holds %q: %s", f.ID, r, s.Command)
					}
				}
			}
		})
	})
}
