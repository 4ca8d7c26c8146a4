package verify

import (
	"cmp"
	"fmt"
	"slices"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
)

// sums gather what differs by what causes it.
type sums struct{ more, less map[spot]*differences }

// spot is a subject of a binding, and a rule.
type spot struct {
	binding *rbac.Binding
	role    rbac.Ref
	subject int
	rule    int
}

type differences struct {
	cause *rbac.Cause
	who   []string
	known map[string]bool
	// teams is that a team's namespace, or the whole cluster, is among the places.
	teams bool
	what  []string
	cells int
}

// mostWhat bounds what is remembered of the cells of one cause: few are shown.
const mostWhat = 200

func (v *verifier) note(into map[spot]*differences, c *rbac.Cause, p persona, place string, r rbac.Request) {
	key := spot{c.Binding, c.Rule.Role, c.Subject, c.Rule.Index}
	d := into[key]
	if d == nil {
		d = &differences{cause: c, known: map[string]bool{}}
		into[key] = d
	}
	d.cells++
	d.teams = d.teams || place == "" || v.teamOf(place) != nil
	if !d.known[p.name] {
		d.who, d.known[p.name] = append(d.who, p.name), true
	}
	if len(d.what) < mostWhat {
		if what := asked(r) + where(place); !slices.Contains(d.what, what) {
			d.what = append(d.what, what)
		}
	}
}

func where(place string) string {
	if place == "" {
		return " everywhere"
	}
	return " in " + place
}

// tell makes one finding of all that one change mends.
func (v *verifier) tell(sum *sums) {
	for _, d := range merged(sum.more, func(d *differences) string { return mendKey(d, v.less(d.cause)) }) {
		f := finding.Finding{ID: More, Severity: finding.Error, Object: ofBinding(d.cause.Binding), Cause: causeOf(d.cause), Evidence: d.evidence(), Mend: v.less(d.cause),
			Message: fmt.Sprintf("%s may do more than the contract gives: %s (%s)", few(d.who, 3), few(d.what, 3), many(d.cells, "cell"))}
		switch {
		case !d.teams:
			f.Severity = finding.Warning
		case d.cause.Rule.Role.Namespace != "" && v.ownAccount(d.cause):
			f.ID, f.Object = HandedOn, ofRole(d.cause.Rule.Role)
		}
		v.add(f)
	}
	for _, d := range merged(sum.less, func(d *differences) string { return mendKey(d, v.restored(d.cause)) }) {
		v.add(finding.Finding{ID: Less, Severity: finding.Error, Object: ofBinding(d.cause.Binding), Cause: causeOf(d.cause), Evidence: d.evidence(), Mend: v.restored(d.cause),
			Message: fmt.Sprintf("%s may do less than the contract gives: %s (%s)", few(d.who, 3), few(d.what, 3), many(d.cells, "cell"))})
	}
}

// mendKey is the same for what one change mends.
func mendKey(d *differences, mend finding.Mend) string {
	if mend.Command != "" {
		return mend.Command
	}
	return d.cause.Binding.String() + mend.Says
}

// ownAccount says whether a team's binding gives something to an account of its own
// namespace.
func (v *verifier) ownAccount(c *rbac.Cause) bool {
	ns, _, account := rbac.ParseAccount(rbac.Of(c.Binding.Subjects[c.Subject], c.Binding.Namespace).User)
	return account && ns == c.Binding.Namespace && v.teamOf(ns) != nil
}

// merged puts together what has one key, in a stable order.
func merged(all map[spot]*differences, by func(*differences) string) (list []*differences) {
	keyed := map[*differences]string{}
	for _, d := range all {
		list, keyed[d] = append(list, d), by(d)
	}
	slices.SortFunc(list, func(a, b *differences) int {
		return cmp.Or(cmp.Compare(keyed[a], keyed[b]), rbac.Compare(a.cause.Binding, b.cause.Binding), cmp.Compare(a.cause.Subject, b.cause.Subject),
			cmp.Compare(a.cause.Rule.Role.String(), b.cause.Rule.Role.String()), cmp.Compare(a.cause.Rule.Index, b.cause.Rule.Index))
	})
	var out []*differences
	for _, d := range list {
		last := len(out) - 1
		if last < 0 || keyed[out[last]] != keyed[d] {
			out = append(out, d)
			continue
		}
		out[last].take(d)
	}
	return out
}

// take adds what another cause brings that the same change mends.
func (d *differences) take(o *differences) {
	d.cells, d.teams, d.what = d.cells+o.cells, d.teams || o.teams, append(d.what, o.what...)
	for _, who := range o.who {
		if !d.known[who] {
			d.who, d.known[who] = append(d.who, who), true
		}
	}
}

const shownCells = 20

func (d *differences) evidence() (list []finding.Evidence) {
	for _, what := range d.what[:min(len(d.what), shownCells)] {
		list = append(list, finding.Evidence{Object: ofRole(d.cause.Rule.Role), Field: "rules[" + itoa(d.cause.Rule.Index) + "]", Value: what})
	}
	return list
}

// less is the smallest change by which a cause gives no more: what was compiled is put
// back, a rule goes of what a team gives its own accounts, and otherwise the binding.
func (v *verifier) less(c *rbac.Cause) finding.Mend {
	bound := rbac.Ref{Name: c.Binding.Role.Name}
	for _, o := range []finding.Object{ofRole(c.Rule.Role), ofRole(bound), ofBinding(c.Binding)} {
		if fix, ok := v.fixes[o]; ok && (c.Binding.Role.Kind != "Role" || o != ofRole(bound)) {
			return fix
		}
	}
	if c.Rule.Role.Namespace != "" && v.ownAccount(c) {
		return withoutRule(c.Rule)
	}
	return v.leave(c.Binding, c.Subject)
}

// restored is the change by which a persona has again what it should.
func (v *verifier) restored(c *rbac.Cause) finding.Mend {
	for _, o := range []finding.Object{ofBinding(c.Binding), ofRole(c.Rule.Role)} {
		if fix, ok := v.fixes[o]; ok {
			return fix
		}
	}
	return finding.Mend{Says: "bring " + c.Binding.String() + " and " + c.Rule.Role.String() + " back to what Demarc makes"}
}
