package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

const hook = "https://hooks.slack.com" + "/services/T0000/B0000/XXXX"

// What cannot be sent to says why, and what to do; internal/routes tests that routes and lint
// follow it.
func TestReadChannel(t *testing.T) {
	for text, want := range map[string]contract.By{
		"#payments": contract.ByChat, "a@b.example": contract.ByMail, "https://alerts.example/x": contract.ByWebhook, "https://alerts.example:8443/": contract.ByWebhook,
		"": "", " ": "", hook: "", "https://user:pass@x.example/y": "", "https://x.example/?token=y": "", "#{{.X}}": "", "https:// x": "", "https://": "",
		"a@b@c": "", "@b": "", "a@": "", "#a b": "", "#": "", "payments": "",
	} {
		got := contract.ReadChannel(text)
		if got.By != want || (got.Why == "") != (want != "") || (got.Do == "") != (want != "") {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
}

// A channel that cannot be sent to reaches nobody; somebody on call does.
func TestReached(t *testing.T) {
	for _, c := range []struct {
		contacts v1alpha1.Contacts
		want     bool
	}{
		{v1alpha1.Contacts{}, false}, {v1alpha1.Contacts{Channel: "#a"}, true}, {v1alpha1.Contacts{OnCall: "+49 30 1234"}, true},
		{v1alpha1.Contacts{Channel: hook}, false}, {v1alpha1.Contacts{Channel: hook, OnCall: "kim"}, true}, {v1alpha1.Contacts{OnCall: " "}, false},
		{v1alpha1.Contacts{Escalation: "the head", CodeOwners: []string{"@a/b"}}, false},
	} {
		if got := contract.Reached(c.contacts); got != c.want {
			t.Errorf("%+v: %v", c.contacts, got)
		}
	}
}

// What lets in whoever has it is shown to nobody, wherever it stands.
func TestShown(t *testing.T) {
	c := v1alpha1.Contacts{Channel: "https://x.example/a?token=1", OnCall: "https://user:pass@on-call.example/", Escalation: "xoxb-" + strings.Repeat("1", 20), CodeOwners: []string{"@a/b"}}
	shown, hidden := contract.Shown(c)
	if diff := cmp.Diff(v1alpha1.Contacts{CodeOwners: []string{"@a/b"}}, shown); diff != "" || !slices.Equal(hidden, []string{"channel", "onCall", "escalation"}) {
		t.Errorf("%v %s", hidden, diff)
	}
	open := v1alpha1.Contacts{Channel: "https://x.example/a", OnCall: "https://on-call.example/payments?week=this", Escalation: "kim, then lee"}
	if shown, hidden := contract.Shown(open); len(hidden) > 0 || cmp.Diff(open, shown) != "" {
		t.Errorf("%v is left out of %+v", hidden, shown)
	}
}
