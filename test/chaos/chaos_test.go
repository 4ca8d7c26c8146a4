package main

import (
	"flag"
	"os"
	"testing"
	"time"

	"demarc.dev/demarc/sandbox/programs"
	"demarc.dev/demarc/test/chaos/proxy"
)

var testSeed = flag.Uint64("chaos-seed", 1, "what the short chaos round follows from")

// A short round: a few teams without faults, whose state is the expected one; then more, with every kind of fault.
func TestChaosEndsInTheStateOfAnUndisturbedRun(t *testing.T) {
	set, err := programs.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(set.BinDir); err != nil {
		t.Fatal("the programs are not built yet: go run ./cmd/demarc-sandbox build")
	}
	state, err := os.MkdirTemp("", "demarc-chaos-") //nolint:usetesting // it stays where the test fails
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DEMARC_STATE", state)
	o := Options{Name: "chaos", Seed: *testSeed, Out: t.Output()}
	ground, err := newGround(t.Context(), o.Name, plan(o.Seed))
	if err != nil {
		t.Fatal(err)
	}
	w := world{}
	calm := &round{ground: ground, seed: o.Seed, window: 5 * time.Second, world: w}
	calm.story = newStory(o.Seed, "calm", 6, calm.window)
	faults := &round{ground: ground, seed: o.Seed, disturbed: true, window: 40 * time.Second, world: w}
	faults.story = newStory(o.Seed, "t", 8, faults.window)
	for _, r := range []*round{calm, faults} {
		if err := r.run(t.Context()); err != nil {
			t.Fatalf("%v\nthe same again: go test ./test/chaos -run %s -chaos-seed %d", o.failed(t.Context(), ground, "short round", o.Seed, err), t.Name(), o.Seed)
		}
		r.report.print(t.Output(), r.story.lanes[0].team)
	}
	if err := ground.down(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(state); err != nil {
		t.Error(err)
	}
	for _, fault := range proxy.Faults {
		if faults.report.Seen.Faults[fault] == 0 {
			t.Errorf("no request met the fault %q: %v", fault, faults.report.Seen.Faults)
		}
	}
	for _, what := range []string{"operator killed", "API server killed", "Argo CD stopped", "repo-server stopped"} {
		if faults.report.Strikes[what] == 0 {
			t.Errorf("no strike %q: %v", what, faults.report.Strikes)
		}
	}
}
