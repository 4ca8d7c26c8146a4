package keep_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/test/findings/keep"
)

// world is what one recording finds; the words in capitals differ from one to the next.
const world = `
apiVersion: v1
kind: Namespace
metadata: {name: team-dm1, uid: UID-a, creationTimestamp: TIME, resourceVersion: "VERSION1"}
---
apiVersion: v1
kind: Namespace
metadata: {name: team-other, uid: UID-b, creationTimestamp: TIME, resourceVersion: "VERSION2"}
---
apiVersion: v1
kind: Node
metadata: {name: node-1, uid: UID-n, creationTimestamp: OLD}
status: {conditions: [{type: Ready, lastHeartbeatTime: NOW, lastTransitionTime: OLD}]}
---
apiVersion: v1
kind: Node
metadata: {name: node-2, uid: UID-m, creationTimestamp: OLD}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-5d4, namespace: team-dm1, uid: UID-r, creationTimestamp: TIME, managedFields: [{manager: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-5d4-POD, generateName: web-5d4-, namespace: team-dm1, uid: UID-p, creationTimestamp: TIME, ownerReferences: [{kind: ReplicaSet, name: web-5d4, uid: UID-r}]}
spec: {nodeName: node-1, volumes: [{name: kube-api-access-POD}]}
status: {podIP: 10.244.0.ADDRESS, message: "back-off restarting web-5d4-POD(UID-p)"}
---
apiVersion: v1
kind: Event
metadata: {name: web-5d4.EVENT1, namespace: team-dm1, uid: UID-e, creationTimestamp: NOW}
involvedObject: {apiVersion: apps/v1, kind: ReplicaSet, name: web-5d4, namespace: team-dm1, uid: UID-r, resourceVersion: "VERSION1"}
reason: FailedCreate
message: pods "web-5d4-NEVER" is forbidden
lastTimestamp: NOW
count: COUNT
---
apiVersion: v1
kind: Event
metadata: {name: web-5d4.EVENT2, namespace: team-dm1, uid: UID-f, creationTimestamp: NOW}
involvedObject: {apiVersion: apps/v1, kind: ReplicaSet, name: web-5d4, namespace: team-dm1, uid: UID-r, resourceVersion: "VERSION1"}
reason: FailedCreate
message: pods "web-5d4-AGAIN" is forbidden
lastTimestamp: NOW
count: COUNT
---
apiVersion: v1
kind: Event
metadata: {name: node-1.EVENT3, namespace: default, uid: UID-g, creationTimestamp: OLD}
involvedObject: {apiVersion: v1, kind: Node, name: node-1, uid: node-1}
reason: SystemOOM
message: of another time
lastTimestamp: OLD
`

func recorded(t *testing.T, begin time.Time, words ...string) string {
	t.Helper()
	stamp := func(t time.Time) string { return `"` + t.Format(time.RFC3339) + `"` }
	words = append(words, "TIME", stamp(begin), "NOW", stamp(begin.Add(7*time.Second)), "OLD", stamp(begin.Add(-5*time.Hour)))
	list, err := snapshot.Parse([]byte(strings.NewReplacer(words...).Replace(world)))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{}
	set.Add(list...)
	scene := keep.Scene{Team: "dm1", Namespace: "team-dm1", Begin: begin, Read: begin.Add(15 * time.Minute)}
	text, err := keep.Text(keep.Choose(set, scene), scene)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Two recordings of one trouble are one text.
func TestSame(t *testing.T) {
	begin := time.Date(2026, 5, 1, 8, 30, 0, 0, time.UTC)
	one := recorded(t, begin, "UID-", "11112222-", "VERSION", "4", "POD", "x7k2p", "NEVER", "zzzz2", "AGAIN", "zzzz4", "EVENT", "17a", "COUNT", "3", "ADDRESS", "7")
	two := recorded(t, begin.Add(49*time.Hour), "UID-", "99998888-", "VERSION", "7", "POD", "b9wqz", "NEVER", "hh2hh", "AGAIN", "hh4hh", "EVENT", "18f", "COUNT", "9", "ADDRESS", "91")
	if diff := cmp.Diff(one, two); diff != "" {
		t.Error(diff)
	}
	for _, word := range []string{"11112222", "x7k2p", "zzzz2", "managedFields", "team-other", "node-2", "of another time", "2026-05"} {
		if strings.Contains(one, word) {
			t.Errorf("%s is still in\n%s", word, one)
		}
	}
	for _, word := range []string{"name: node-1", `creationTimestamp: "2026-03-02T11:45:00Z"`, "is forbidden", "10.244.0.10"} {
		if !strings.Contains(one, word) {
			t.Errorf("%s is not in\n%s", word, one)
		}
	}
	if n := strings.Count(one, "reason: FailedCreate"); n != 1 {
		t.Errorf("what differs in a name that nothing has is kept %d times", n)
	}
}
