package triage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// What is about a namespace, of its team, or keeps something in it from working, is kept; of what
// is folded only that.
func TestWithin(t *testing.T) {
	pod := func(namespace string) finding.Object {
		return finding.Object{Kind: "Pod", Namespace: namespace, Name: "p"}
	}
	node := finding.Finding{ID: "node", Object: finding.Object{Kind: "Node", Name: "n"}, Folded: []finding.Finding{{ID: "a", Object: pod("team-a")}, {ID: "b", Object: pod("team-b")}}}
	all := triage.Report{Contract: triage.Shipped, Findings: []finding.Finding{
		node, {ID: "own", Object: pod("team-a")}, {ID: "other", Object: pod("team-b")}, {ID: "claim", Object: finding.Object{Kind: "ServiceClaim", Name: "c"}, Team: "a"},
		{ID: "hits", Object: finding.Object{Kind: "Cluster", Name: "capacity"}, Affects: []finding.Object{pod("team-b"), pod("team-a")}}, {ID: "dns", Object: pod("kube-system")},
	}}
	kept, others := all.Within([]string{"team-a"})
	if diff := cmp.Diff([]string{"node", "a", "own", "claim", "hits"}, ids(kept)); diff != "" || others != 2 || kept.Contract != triage.Shipped {
		t.Errorf("%d others\n%s", others, diff)
	}
	if len(all.Findings[0].Folded) != 2 {
		t.Error("the report itself was changed")
	}
	if kept, others := all.Within(nil); len(kept.Findings) != len(all.Findings) || others != 0 {
		t.Errorf("of all %d are kept", len(kept.Findings))
	}
}

// That who asks may not look beyond a namespace is not that it could not be told of it.
func TestUnknown(t *testing.T) {
	r := triage.Report{Unread: []snapshot.Unread{
		{Verb: "list", Resource: "nodes"}, {Verb: "list", Resource: "pods", Why: snapshot.NotAsked}, {Verb: "list", Resource: "jobs", Why: "timeout"},
		{Verb: "list", Resource: "services", Kind: "Service", Namespace: "team-a"}, {Verb: "list", Resource: "secrets", Kind: "Secret", Namespace: "team-a"}, {Verb: "decode", Resource: "Pod", Namespace: "team-b", Name: "p", Why: "no number"},
	}}
	for namespaces, want := range map[string]string{"team-a": "jobs services", "team-b": "jobs Pod", "": "nodes pods jobs services Pod"} {
		var list, got []string
		if namespaces != "" {
			list = []string{namespaces}
		}
		for _, u := range r.Unknown(list) {
			got = append(got, u.Resource)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %q it is %v, want %s", namespaces, got, want)
		}
	}
}

// What no check asks for is left out of objects, and nothing is found by less.
func TestTrim(t *testing.T) {
	for _, text := range objectsOf(t) {
		list, err := snapshot.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		whole, trimmed := &snapshot.Set{At: now}, &snapshot.Set{At: now}
		for _, o := range list {
			whole.Add(o.DeepCopy())
			triage.Trim(o)
			trimmed.Add(o)
		}
		if diff := cmp.Diff(describe(triage.Check(whole, triage.Question{})), describe(triage.Check(trimmed, triage.Question{}))); diff != "" {
			t.Fatal(diff)
		}
	}
}
