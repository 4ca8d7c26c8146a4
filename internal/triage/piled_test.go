package triage_test

import (
	"fmt"
	"testing"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// BenchmarkPiled is much of one thing: events of one object, failed runs of one CronJob, claims
// with their Applications, and pods that wait for a quota. Twice as many take twice as long.
func BenchmarkPiled(b *testing.B) {
	for _, pile := range []struct{ name, text string }{
		{"events", "apiVersion: v1\nkind: Event\nmetadata: {name: e%[1]d, namespace: team-a, creationTimestamp: '2026-03-02T11:00:00Z'}\ninvolvedObject: {kind: Pod, namespace: team-a, name: p}\nmessage: m%[1]d\n"},
		{"runs", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j%[1]d, namespace: team-a, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: c, uid: x, controller: true}]}\nstatus: {conditions: [{type: Failed, status: 'True'}]}\n"},
		{"claims", "apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata: {name: c%[1]d}\nspec: {team: a}\nstatus: {conditions: [{type: Ready, status: 'False', reason: ArgoCDAbsent, message: x, lastTransitionTime: '2026-03-02T11:00:00Z'}]}\n" +
			"---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a.c%[1]d, namespace: argocd, labels: {demarc.dev/claim: c%[1]d, b: c}}\n"},
		{"refused", "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: r%[1]d, namespace: team-a}\nspec: {replicas: 1}\n" +
			"status: {replicas: 0, conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate, message: 'pods \"x\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2'}]}\n"},
	} {
		for _, n := range []int{2000, 4000} {
			b.Run(fmt.Sprintf("%s/%d", pile.name, n), func(b *testing.B) {
				set := &snapshot.Set{At: now}
				for i := range n {
					list, err := snapshot.Parse(fmt.Appendf(nil, pile.text, i))
					if err != nil {
						b.Fatal(err)
					}
					set.Add(list...)
				}
				for b.Loop() {
					triage.Check(set, triage.Question{})
				}
			})
		}
	}
}
