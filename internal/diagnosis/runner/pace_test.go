package runner

import (
	"testing"
	"time"
)

// Each case is what is in trouble at which second, whether it is time to look, and how long
// the look takes that then follows; -1 is that it fails.
// In an odd second it finds what it found before.
func TestPace(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	type event struct {
		at       int
		troubled string
		due      bool
		takes    int
	}
	for name, events := range map[string][]event{
		"once at the start, then seldom":   {{0, "", true, 1}, {1, "", false, 0}, {300, "", false, 0}, {301, "", true, 1}},
		"often while in trouble":           {{0, "a", true, 1}, {30, "a", false, 0}, {31, "a", true, 1}, {91, "a", false, 0}, {92, "a", true, 1}, {123, "a", true, 1}, {184, "a", true, 0}},
		"less often while nothing changes": {{0, "a", true, 0}, {31, "a", true, 0}, {91, "a", true, 0}, {210, "a", false, 0}, {211, "a", true, 0}, {331, "a", true, 0}, {340, "b", false, 0}, {345, "b", true, 0}, {404, "b", false, 0}, {405, "b", true, 0}},
		"soon after trouble begins":        {{0, "", true, 1}, {100, "a", false, 0}, {104, "a", false, 0}, {105, "a", true, 1}},
		"soon after it ends":               {{0, "a", true, 0}, {10, "", false, 0}, {15, "", true, 1}, {100, "", false, 0}},
		"trouble that wavers is seen too":  {{0, "", true, 0}, {28, "a", false, 0}, {32, "b", false, 0}, {36, "a", false, 0}, {40, "", false, 0}, {44, "a", false, 0}, {48, "", false, 0}, {52, "a", false, 0}, {56, "", false, 0}, {58, "a", true, 0}},
		"trouble that came while it looks": {{0, "", true, 10}, {5, "a", false, 0}, {200, "a", false, 0}, {210, "a", true, 1}},
		"a look that fails is tried again": {{0, "a", true, -1}, {30, "b", false, 0}, {59, "b", false, 0}, {60, "b", true, 1}},
		"a twentieth of the time at most":  {{0, "a", true, 60}, {90, "a", false, 0}, {1240, "b", false, 0}, {1260, "b", true, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pace{}
			for _, e := range events {
				now := start.Add(time.Duration(e.at) * time.Second)
				if got := p.due(now, e.troubled); got != e.due {
					t.Errorf("after %d s, with %q in trouble: due %v, want %v", e.at, e.troubled, got, e.due)
				}
				if e.due && e.takes < 0 {
					p.failed(now)
				} else if e.due {
					took := time.Duration(e.takes) * time.Second
					p.looked(now, now.Add(took), took, e.at%2 == 0)
				}
			}
		})
	}
}

// An interval of one's own holds for trouble too where it is the shorter one.
func TestPaceAtInterval(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		interval, since time.Duration
		troubled        string
		due             bool
	}{
		{10 * time.Second, 9 * time.Second, "", false},
		{10 * time.Second, 10 * time.Second, "", true},
		{10 * time.Second, 9 * time.Second, "a", false},
		{10 * time.Second, 10 * time.Second, "a", true},
		{time.Hour, 59 * time.Minute, "", false},
		{time.Hour, time.Hour, "", true},
		{time.Hour, 30 * time.Second, "a", true},
	} {
		p := &pace{interval: c.interval, ended: start, troubled: c.troubled}
		if got := p.due(start.Add(c.since), c.troubled); got != c.due {
			t.Errorf("every %s, %s after a look, with %q in trouble: due %v, want %v", c.interval, c.since, c.troubled, got, c.due)
		}
	}
}
