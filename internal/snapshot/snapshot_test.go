package snapshot_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/snapshot"
)

const some = `
# two objects, and a document that is only this comment
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: team-shop}
spec: {containers: [{name: c, image: nginx}], terminationGracePeriodSeconds: 30}
---
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: team-shop}
`

var pods = schema.GroupKind{Kind: "Pod"}

func TestSet(t *testing.T) {
	objects, err := snapshot.Parse([]byte(some))
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	var set snapshot.Set
	set.Add(objects...)
	bare := objects[0].DeepCopy()
	delete(bare.Object, "spec")
	set.AddMetadata(bare) // known better
	if list := set.In("team-shop"); len(list) != 2 || list[0].GetName() != "a" {
		t.Errorf("not both, sorted: %v", list)
	}
	if len(set.In("")) != 0 || len(set.Of(pods)) != 2 {
		t.Error("what has no namespace is in none; both are pods")
	}
	pod, err := snapshot.Into[corev1.Pod](set.Get(pods, "team-shop", "b"))
	if err != nil || *pod.Spec.TerminationGracePeriodSeconds != 30 {
		t.Errorf("%v, %v", pod, err)
	}
	for _, text := range []string{"kind: Pod", "a: [", "- a"} {
		if _, err := snapshot.Parse([]byte(text)); err == nil {
			t.Errorf("%q is taken for an object", text)
		}
	}
}

func TestMissed(t *testing.T) {
	var set snapshot.Set
	set.Miss(snapshot.Unread{Verb: "list", Resource: "pods", Kind: "Pod", Namespace: "team-shop"})
	set.Miss(snapshot.Unread{Verb: "list", Resource: "pods", Kind: "Pod", Namespace: "team-shop"})
	set.AddAbsent(pods, "team-shop", "asked-for")
	for _, c := range []struct {
		kind            schema.GroupKind
		namespace, name string
		want            bool
	}{
		{pods, "team-shop", "", true},
		{pods, "team-shop", "any", true},
		{pods, "team-shop", "asked-for", false},
		{pods, "team-other", "", false},
		{schema.GroupKind{Kind: "Secret"}, "team-shop", "", false},
	} {
		if u, got := set.Missed(c.kind, c.namespace, c.name); got != c.want {
			t.Errorf("%v: missed is %v (%v)", c, got, u)
		}
	}
	if list := set.Unread(); len(list) != 1 || list[0].String() != "list pods in team-shop" {
		t.Errorf("it says %v", list)
	}
	all := snapshot.Unread{Verb: "get", Group: "argoproj.io", Resource: "applications", Name: "shop.web", Namespace: "argocd", Why: "timeout"}
	if got := all.String(); got != "get applications.argoproj.io shop.web in argocd: timeout" {
		t.Errorf("it says %q", got)
	}
}
