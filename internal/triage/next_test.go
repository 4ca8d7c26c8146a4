package triage_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// What runs for a claim is changed in the claim: Argo CD puts back what is changed beside it.
func TestNextOfAClaim(t *testing.T) {
	for id, want := range map[string][2]string{
		"DM109": {"(spec.image of claim web; demarc rollback web goes back)", ""},
		"DM124": {"", "demarc rollback web"},
	} {
		for _, of := range []string{"its own team", "another team", "no claim"} {
			t.Run(id+" of "+of, func(t *testing.T) {
				list, err := snapshot.Parse([]byte(part(parse(t, filepath.Join("testdata", id+".txtar")), "objects")))
				if err != nil {
					t.Fatal(err)
				}
				set := &snapshot.Set{At: now}
				for _, o := range list {
					if o.GetKind() == "Deployment" {
						o.SetLabels(map[string]string{v1alpha1.LabelClaim: "web"})
						team := strings.TrimPrefix(o.GetNamespace(), "team-")
						if of == "another team" {
							team = "another"
						}
						claim := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "demarc.dev/v1alpha1", "kind": "ServiceClaim",
							"metadata": map[string]any{"name": "web"}, "spec": map[string]any{"team": team, "image": "a:1"}}}
						if of != "no claim" {
							set.Add(claim)
						}
					}
					set.Add(o)
				}
				f := named(t, triage.Check(set, triage.Question{}), id)
				step := f.Next[0]
				own := of == "its own team"
				if strings.Contains(step.Says, "claim web") != (own && want[0] != "") || own && !strings.Contains(step.Says, want[0]) || (step.Command == "demarc rollback web") != (own && want[1] != "") {
					t.Errorf("the next step is %+v", step)
				}
			})
		}
	}
}

func named(t *testing.T, r triage.Report, id string) finding.Finding {
	t.Helper()
	for _, f := range r.Findings {
		for _, g := range append(f.Folded, f) {
			if g.ID == id {
				return g
			}
		}
	}
	t.Fatalf("%s is not found: %v", id, ids(r))
	return finding.Finding{}
}

// Where nodes may not be read a word of the kubelet since says that the node is back.
func TestNodeThatIsBack(t *testing.T) {
	archive := parse(t, filepath.Join("testdata", "together-node-unread.txtar"))
	for reason, lost := range map[string]bool{"": true, "Scheduled": true, "Unhealthy": false} {
		objects := part(archive, "objects")
		if reason != "" {
			objects += `
---
{apiVersion: v1, kind: Event, metadata: {name: since, namespace: team-payments}, reason: ` + reason + `, message: "Readiness probe failed: HTTP probe failed with statuscode: 503", type: Warning,
  involvedObject: {kind: Pod, namespace: team-payments, name: web-6c8d9f7b54-x7k2p}, lastTimestamp: "2026-03-02T11:59:30Z"}
`
		}
		list, err := snapshot.Parse([]byte(objects))
		if err != nil {
			t.Fatal(err)
		}
		set := &snapshot.Set{At: now}
		set.Add(list...)
		set.Miss(snapshot.Unread{Kind: "Node", Resource: "nodes", Verb: "list"})
		if got := slices.Contains(ids(triage.Check(set, triage.Question{})), "DM142"); got != lost {
			t.Errorf("with an event %q since: DM142 %v, want %v", reason, got, lost)
		}
	}
}

// A pull that the node's full disk ends is the platform's.
func TestPullOnAFullDisk(t *testing.T) {
	list, err := snapshot.Parse([]byte(part(parse(t, filepath.Join("testdata", "DM109.txtar")), "objects")))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: now}
	for _, o := range list {
		statuses, _, _ := unstructured.NestedSlice(o.Object, "status", "containerStatuses")
		for _, s := range statuses {
			_ = unstructured.SetNestedField(s.(map[string]any), "Back-off pulling image: ErrImagePull: write /var/lib/containerd/x: no space left on device", "state", "waiting", "message")
		}
		if statuses != nil {
			_ = unstructured.SetNestedSlice(o.Object, statuses, "status", "containerStatuses")
		}
		if o.GetKind() != "Event" {
			set.Add(o)
		}
	}
	if f := named(t, triage.Check(set, triage.Question{}), "DM148"); f.Owner != v1alpha1.PartyPlatform || !strings.Contains(f.Message, "disk of its node is full") {
		t.Errorf("it is %s's: %s", f.Owner, f.Message)
	}
}
