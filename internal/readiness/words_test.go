package readiness

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// O7: the same trouble is the same text, whatever is new at each attempt.
func TestNormalise(t *testing.T) {
	for _, c := range []struct{ name, one, other, want string }{
		{"temporary folders", "helm template . in /tmp/_cmp/0a1b-2c failed", "helm template . in /tmp/9f/charts failed", "helm template . in <folder> failed"},
		{"pod suffixes", `pods "web-7d9f8b7c6-x7z2k" is forbidden`, `pods "web-7d9f8b7c6-bb4mq" is forbidden`, `pods "web-7d9f8b7c6-*" is forbidden`},
		{"pod suffixes in a kubelet's words", "container=web pod=web-7d9f8b7c6-x7z2k_team-a(1)", "container=web pod=web-7d9f8b7c6-bb4mq_team-a(1)", "container=web pod=web-7d9f8b7c6-*_team-a(1)"},
		{"the time of the next attempt", "failed. Retrying attempt #2 at 3:04PM.", "failed. Retrying attempt #9 at 11:59AM.", "failed."},
		{"uuids", "sync 7c1fb0a4-9a3e-4d1c-8a57-0b6c6a1d2e3f failed", "sync 11111111-9a3e-4d1c-8a57-0b6c6a1d2e3f failed", "sync <uid> failed"},
		{"back-off", "back-off 2m40s restarting failed container", "back-off 5m0s restarting failed container", "back-off restarting failed container"},
		{"line ends", "a\n  b", "a b", "a b"},
		{"secrets", "cannot fetch https://bot:hunter2hunter2@git.example/a.git", "cannot fetch https://bot:another-password@git.example/a.git", "(left out: url-password)"},
		{"times", "at 2026-11-30T10:00:00Z", "at 2027-01-01T00:00:00Z", "at <time>"},
	} {
		if one, other := Normalise(c.one), Normalise(c.other); one != c.want || other != c.want {
			t.Errorf("%s: %q and %q, want %q", c.name, one, other, c.want)
		}
	}
	for _, keep := range []string{"deployment/kube-controller-manager", "image registry.example/shop/api:1.2.3-alpine", "exceeded quota: demarc, requested: pods=1"} {
		if got := Normalise(keep); got != keep {
			t.Errorf("%q became %q", keep, got)
		}
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add(`pods "web-7d9f8b7c6-x7z2k" is forbidden`)
	f.Add("/tmp/é\xff\n" + strings.Repeat("ü", maxWords))
	f.Fuzz(func(t *testing.T, message string) {
		once := Normalise(message)
		if len(once) > maxWords+len(" …")+2 || strings.Contains(once, "\n") {
			t.Errorf("%d bytes: %q", len(once), once)
		}
		if utf8.ValidString(message) && !utf8.ValidString(once) {
			t.Errorf("%q became invalid: %q", message, once)
		}
	})
}
