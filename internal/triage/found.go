package triage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
)

// found is what a check saw, before it is known whose it is and what it follows from.
type found struct {
	// id of the catalogue, and what it is about: the workload that a person wrote, rather
	// than each of its pods.
	id     string
	object finding.Object
	// hits are workloads whose pods it keeps from running, where it is about something else.
	hits []finding.Object
	// space is the namespace whose team it is about, where the object is in another or in none.
	space string
	// part tells findings of the same id and object apart, such as a container's name.
	part    string
	message string
	// evidence is never empty: a finding that shows nothing is a guess.
	evidence []finding.Evidence
	// after is what it would follow from, nearest first.
	after []cause
	// runs is that the pods run all the same: what stops others has passed here.
	runs bool
	// only is that it is worth telling where it follows from something, and not by itself.
	only bool
	// shares are things that other teams may use too. When two teams find the same of one,
	// it is not theirs.
	shares []finding.Object
	// args fill the places of the catalogue's steps beside ns, kind and name.
	args map[string]string
	// severity and domains are the catalogue's where they are empty here.
	severity finding.Severity
	domains  []string
	// party is set where another table of Demarc's already says who acts.
	party v1alpha1.Party
	// next is the step of that table.
	next string
	// because is why it was promoted.
	because string
}

// most is how much evidence of one finding is kept.
const most = 12

// gather makes one finding of what is the same of several pods.
func gather(all []found) []found {
	type key struct {
		id     string
		object finding.Object
		part   string
	}
	var out []found
	at, dropped := map[key]int{}, map[key]int{}
	for _, f := range all {
		k := key{f.id, f.object, f.part}
		i, known := at[k]
		if !known {
			at[k] = len(out)
			out = append(out, f)
			continue
		}
		first := &out[i]
		for _, e := range f.evidence {
			switch {
			case slices.Contains(first.evidence, e):
			case len(first.evidence) < most:
				first.evidence = append(first.evidence, e)
			default:
				dropped[k]++
			}
		}
		first.runs = first.runs && f.runs
		first.after = append(first.after, f.after...)
		first.shares = append(first.shares, f.shares...)
		first.hits = append(first.hits, f.hits...)
		if f.severity == finding.Error {
			first.severity = finding.Error
		}
	}
	for k, n := range dropped {
		f := &out[at[k]]
		f.evidence = append(f.evidence, finding.Evidence{Object: f.object, Value: fmt.Sprintf("and %d more like these", n)})
	}
	for i := range out {
		f := &out[i]
		f.shares, f.hits = unique(f.shares), unique(f.hits)
		if len(f.hits) > 1 {
			f.message += "; it hits " + several(f.hits)
		}
	}
	return out
}

// several names the first of some objects, and whether there are others.
func several(list []finding.Object) string {
	var names []string
	for _, o := range list[:min(shownMost+1, len(list))] {
		names = append(names, words(o))
	}
	return joined(few(names))
}

// shownMost is how many things a sentence names.
const shownMost = 4

// few are the first of some names, and whether there are others. How many is no part of the
// sentence: that changes with each pod.
func few(names []string) []string {
	if len(names) > shownMost {
		names = append(slices.Clone(names[:shownMost]), "others")
	}
	return names
}

func unique(list []finding.Object) []finding.Object {
	slices.SortFunc(list, compareObjects)
	return slices.Compact(list)
}

func compareObjects(a, b finding.Object) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Group, b.Group))
}

// home is the namespace whose team a finding is about; empty for what is the cluster's.
func (f found) home() string { return cmp.Or(f.space, f.object.Namespace) }

// with is a finding of which one thing more is known, where it was not known already.
func (f found) with(name, value string) found {
	if _, known := f.args[name]; known {
		return f
	}
	args := maps.Clone(f.args)
	if args == nil {
		args = map[string]string{}
	}
	args[name] = value
	f.args = args
	return f
}

// fill puts what is known of a finding into the words of the catalogue. ok is whether all
// of it is plain enough to stand in a command.
func (f found) fill(text string) (filled string, ok bool) {
	ok = true
	values := map[string]string{"ns": f.object.Namespace, "name": f.object.Name, "kind": strings.ToLower(f.object.Kind)}
	for k, v := range f.args {
		values[k] = v
	}
	for k, v := range values {
		if place := "{" + k + "}"; strings.Contains(text, place) {
			text, ok = strings.ReplaceAll(text, place, v), ok && isPlain(v)
		}
	}
	return text, ok && !strings.ContainsAny(text, "{}")
}

// isPlain says that a shell takes a text for one word and nothing else.
func isPlain(text string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:/=,"
	return text != "" && !strings.HasPrefix(text, "-") && strings.Trim(text, plain) == ""
}
