package incident_test

import (
	"testing"
	"testing/fstest"

	"demarc.dev/demarc/test/findings/incident"
)

const sound = `
says: It is wrong.
near miss: It is nearly wrong.
given: [{delete: pods/a}]
trouble: {steps: [{kubelet: {pods: app=a, terminated: {exitCode: 1}}}, {event: {of: pods/a, reason: R}}, {event: {of: pods/a, reason: S, from: scheduler}}]}
near: {read: 3m, finds: [DM102]}
`

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		sound      bool
	}{
		"sound":           {"DM101.yaml", sound, true},
		"no id":           {"web.yaml", sound, false},
		"no near miss":    {"DM101.yaml", "says: It is wrong.\ngiven: [{delete: pods/a}]", false},
		"an unknown word": {"DM101.yaml", sound + "unknown: 1\n", false},
		"nothing is done": {"DM101.yaml", "says: a\nnear miss: b\n", false},
		"two verbs":       {"DM101.yaml", "says: a\nnear miss: b\ngiven: [{delete: pods/a, stop: kwok}]\n", false},
		"no verb":         {"DM101.yaml", "says: a\nnear miss: b\ngiven: [{}]\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := incident.Read(fstest.MapFS{c.file: {Data: []byte(c.text)}})
			if (err == nil) != c.sound {
				t.Fatalf("%v", err)
			}
			if err != nil {
				return
			}
			one := list[0]
			if one.ID != "DM101" || one.Wrong.Read.Minutes() != 15 || one.Near.Read.Minutes() != 3 {
				t.Errorf("it is read as %+v", one)
			}
			if who := one.Played(); who != "the kubelet (status of pods), the kubelet (events), scheduler (events)" {
				t.Errorf("it is played by %s", who)
			}
		})
	}
}
