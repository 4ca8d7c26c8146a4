package model

import (
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/auditlog"
	"demarc.dev/demarc/test/model/world"
)

// tape is a record made up: one sighting a second, each by somebody.
type tape struct {
	seen []sighting
	by   authors
}

var midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (r *tape) add(user string, k world.Key, o world.Object) {
	version := int64(len(r.seen) + 1)
	at := midnight.Add(time.Duration(version) * time.Second)
	r.seen = append(r.seen, sighting{version: version, at: at, key: k, object: o})
	if o != nil {
		r.by.versions[strconv.FormatInt(version, 10)] = author{user, at}
		return
	}
	removed := world.Resource(realKinds[k.Kind]) + "/" + k.Namespace + "/" + k.Name
	r.by.removals[removed] = append(r.by.removals[removed], author{user, at.Add(-time.Second / 2)}, author{"somebody", at.Add(time.Second)})
}

func marked(o world.Object, label, finalizer string, going bool) world.Object {
	o = o.DeepCopy()
	o.SetLabels(map[string]string{v1alpha1.LabelTenant: label, v1alpha1.LabelTeam: label, v1alpha1.LabelOwner: "tenant." + label})
	o.SetFinalizers([]string{finalizer})
	if going {
		o.SetDeletionTimestamp(&metav1.Time{Time: midnight})
	}
	return o
}

// What a replay is judged by finds what is wrong in a record, and lets stand what the
// operator could not know.
func TestJudge(t *testing.T) {
	team := object("demarc.dev/v1alpha1", "Tenant", "", "red", nil)
	claim := object("demarc.dev/v1alpha1", "ServiceClaim", "", "red-a", map[string]any{"team": "red"})
	ns := object("v1", "Namespace", "", "team-red", nil)
	const operator = auditlog.OperatorUser
	for name, of := range map[string]struct {
		record func(*tape)
		broken string
	}{
		"the namespace goes while a claim holds it": {func(r *tape) {
			r.add("user", world.KeyOf(team), marked(team, "red", v1alpha1.FinalizerTenant, false))
			r.add(operator, world.KeyOf(ns), marked(ns, "red", "kubernetes", false))
			r.add(operator, world.KeyOf(claim), marked(claim, "red", v1alpha1.FinalizerClaim, false))
			r.add("user", world.KeyOf(team), marked(team, "red", v1alpha1.FinalizerTenant, true))
			r.add(operator, world.KeyOf(ns), marked(ns, "red", "kubernetes", true))
		}, "no namespace goes before its claims"},
		"the operator takes away what is not its own": {func(r *tape) {
			r.add("user", world.KeyOf(ns), ns)
			r.add(operator, world.KeyOf(ns), nil)
		}, "what is others' is not touched"},
		"somebody takes away what is not the operator's": {func(r *tape) {
			r.add("user", world.KeyOf(ns), ns)
			r.add("user", world.KeyOf(ns), nil)
		}, ""},
		"the operator takes a stranger's finalizer off": {func(r *tape) {
			r.add("user", world.KeyOf(team), marked(team, "red", "example.com/backup", true))
			r.add(operator, world.KeyOf(team), nil)
			r.seen[1].at = r.seen[0].at.Add(longest + time.Second)
			r.by.removals["tenants//red"] = []author{{operator, r.seen[1].at}}
		}, "what is others' is not touched"},
		"a finalizer that came while the last one went": {func(r *tape) {
			r.add("user", world.KeyOf(team), marked(team, "red", v1alpha1.FinalizerTenant, true))
			r.add("user", world.KeyOf(team), marked(team, "red", "foregroundDeletion", true))
			r.add(operator, world.KeyOf(team), nil)
		}, ""},
		"a namespace for a Tenant that went just now": {func(r *tape) {
			r.add("user", world.KeyOf(team), team)
			r.add("user", world.KeyOf(team), nil)
			r.add(operator, world.KeyOf(ns), marked(ns, "red", "kubernetes", false))
		}, ""},
		"a namespace for a Tenant that went long ago": {func(r *tape) {
			r.add("user", world.KeyOf(team), team)
			r.add("user", world.KeyOf(team), nil)
			r.add(operator, world.KeyOf(ns), marked(ns, "red", "kubernetes", false))
			r.seen[2].at = r.seen[1].at.Add(longest + time.Second)
		}, "nothing is made for who is going"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &tape{by: authors{map[string]author{}, map[string][]author{}}}
			of.record(r)
			broken := strings.Join(replayed(r.seen, r.by).watch.broken, "\n")
			if of.broken == "" && broken != "" || !strings.Contains(broken, of.broken) {
				t.Errorf("broken are %q, want %q", broken, of.broken)
			}
		})
	}
}
