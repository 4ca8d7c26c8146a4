package review

import (
	"testing"
	"time"
)

// Each case is what happens at which second, and what is due then.
func TestPace(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	type event struct {
		at   int
		does func(*pace, time.Time)
		due  step
	}
	none := func(*pace, time.Time) {}
	changed := (*pace).changed
	later := func(after time.Duration) func(*pace, time.Time) {
		return func(p *pace, now time.Time) { p.begun(); p.later(now, after) }
	}
	begun := func(p *pace, _ time.Time) { p.begun() }
	for name, events := range map[string][]event{
		"nothing ever":                 {{0, none, wait}, {100_000, none, wait}},
		"a change, and quiet":          {{0, changed, wait}, {29, none, wait}, {30, none, ask}},
		"a storm makes one":            {{0, changed, wait}, {20, changed, wait}, {40, changed, wait}, {69, none, wait}, {70, none, ask}, {71, begun, wait}, {200, none, wait}},
		"a storm without end":          {{0, changed, wait}, {25, changed, wait}, {299, changed, wait}, {300, changed, ask}},
		"a change while it is asked":   {{0, changed, wait}, {30, begun, wait}, {31, changed, wait}, {61, none, ask}},
		"by the hour":                  {{0, later(time.Hour), wait}, {3599, none, wait}, {3600, none, ask}},
		"a change before the hour":     {{0, later(time.Hour), wait}, {100, changed, wait}, {130, none, ask}},
		"doubts wait":                  {{0, begun, wait}, {1, (*pace).doubt, wait}, {30, none, wait}, {31, none, askAgain}},
		"doubts come before a round":   {{0, later(time.Second), wait}, {2, (*pace).doubt, wait}, {31, none, wait}, {32, none, askAgain}},
		"doubts that were asked again": {{0, (*pace).doubt, wait}, {30, later(time.Hour), wait}, {31, none, wait}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pace{}
			for _, e := range events {
				now := start.Add(time.Duration(e.at) * time.Second)
				e.does(p, now)
				if got := p.due(now); got != e.due {
					t.Errorf("after %d s: %d is due, want %d", e.at, got, e.due)
				}
			}
		})
	}
}
