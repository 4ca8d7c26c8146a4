package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"demarc.dev/demarc/test/model/world"
)

// The invariants of deletion hold after every write, whatever the interleaving; and when
// everybody stops, what was to go goes, or says what holds it.
func TestDeletionInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, interleave) })
}

func interleave(t *rapid.T) {
	c := newCluster()
	defer func() {
		c.endFormer()
		c.operator.die() // what is under way ends with the test
		if t.Failed() {
			t.Log("\n  " + strings.Join(c.story, "\n  "))
		}
	}()
	teams := []string{"red", "blue"}[:rapid.IntRange(1, 2).Draw(t, "teams")]
	people := &people{c: c, hands: c.everybody(), cast: newCast(teams, "-a", "-b", world.Stateful)}
	people.slow = rapid.SampledFrom([]string{"", "Application", "AppProject", "Namespace", "ServiceClaim", "Tenant"}).Draw(t, "slow")
	people.violent = rapid.IntRange(0, 2).Draw(t, "violent") == 2
	if rapid.Bool().Draw(t, "all is well at first") {
		people.begin(t)
	}
	t.Repeat(people.actions())
	people.end(t)
}
