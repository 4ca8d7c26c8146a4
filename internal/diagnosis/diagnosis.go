// Package diagnosis says whose each finding of triage is among the claims and the teams: what
// stands in a claim's status, what a Tenant counts, and what is measured.
package diagnosis

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// Diagnosis is what triage found, by whom it concerns. Notes are left out: nothing is to be
// done about them.
type Diagnosis struct {
	// At is when the cluster was so.
	At time.Time
	// Claims are the root findings that concern each claim, the gravest first; a claim that
	// was made anew under its name is another.
	Claims map[types.UID][]finding.Finding
	// Tenants counts those that concern each team, by its name.
	Tenants map[string]v1alpha1.TenantFindings
	// Series counts root findings by what is measured of them.
	Series map[Series]int
	// Unread are the kinds that could not be read, in order.
	Unread []string

	roots []root
}

// Series is what of a finding is measured; few of them differ.
type Series struct {
	ID       string
	Owner    v1alpha1.Party
	Domain   string
	Severity finding.Severity
	Team     string
}

// root is a root finding and whom it concerns.
type root struct {
	finding finding.Finding
	claims  []concerned
	teams   []string
}

// concerned is a claim, and the team that reads it.
type concerned struct {
	uid  types.UID
	team string
}

// Of sorts the findings of a report on a set.
func Of(set *snapshot.Set, r triage.Report) Diagnosis {
	d := Diagnosis{At: set.At}
	for _, u := range r.Unread {
		if !u.NotAsked() {
			d.Unread = append(d.Unread, u.String())
		}
	}
	slices.Sort(d.Unread)
	whose := newWhose(set)
	for _, f := range r.Findings {
		if !f.Counts() {
			continue
		}
		one := root{finding: f}
		one.claims, one.teams = whose.concerned(f)
		d.roots = append(d.roots, one)
	}
	return d.sorted()
}

// Keeping adds what was found before and is found no longer: where a kind could not be read
// for a passing reason nobody knows that it is gone.
func (d Diagnosis) Keeping(before Diagnosis) Diagnosis {
	d.roots = slices.Clone(d.roots)
	for _, b := range before.roots {
		if !slices.ContainsFunc(d.roots, func(r root) bool { return r.finding.ID == b.finding.ID && r.finding.Object == b.finding.Object }) {
			d.roots = append(d.roots, b)
		}
	}
	return d.sorted()
}

// sorted puts the roots where they are asked for.
func (d Diagnosis) sorted() Diagnosis {
	d.Claims, d.Tenants, d.Series = map[types.UID][]finding.Finding{}, map[string]v1alpha1.TenantFindings{}, map[Series]int{}
	for _, r := range d.roots {
		f := r.finding
		d.Series[Series{f.ID, f.Owner, f.Domain, f.Severity, f.Team}]++
		for _, c := range r.claims {
			d.Claims[c.uid] = append(d.Claims[c.uid], told(f, c.team))
		}
		for _, team := range r.teams {
			count := d.Tenants[team]
			count.Open++
			if f.Severity == finding.Error {
				count.Errors++
			}
			d.Tenants[team] = count
		}
	}
	for _, list := range d.Claims {
		finding.Sort(list)
	}
	return d
}

// told is a finding as a claim tells it, which all teams may read: of one that is not about the
// team's own alone what kind of trouble it is and whose, and no words on others' objects.
func told(f finding.Finding, team string) finding.Finding {
	own := func(o finding.Object) bool { return o.Namespace == v1alpha1.NamespaceOf(team) }
	if (own(f.Object) || f.Object.Group == v1alpha1.GroupName || f.Object.Kind == argocd.ApplicationKind.Kind) && !slices.ContainsFunc(f.Affects, func(o finding.Object) bool { return !own(o) }) {
		return f
	}
	f.Message = triage.Of(f.ID).Title
	f.Next = nil
	if f.Object.Namespace != "" && !own(f.Object) {
		f.Object.Namespace, f.Object.Name = "", "of another"
	}
	return f
}

// Changed are the claims and the teams of which this says something else than the one before.
func (d Diagnosis) Changed(before Diagnosis) (claims []types.UID, teams []string) {
	for uid, now := range d.Claims {
		if !slices.EqualFunc(now, before.Claims[uid], same) {
			claims = append(claims, uid)
		}
	}
	for uid := range before.Claims {
		if _, still := d.Claims[uid]; !still {
			claims = append(claims, uid)
		}
	}
	for team, now := range d.Tenants {
		if now != before.Tenants[team] {
			teams = append(teams, team)
		}
	}
	for team := range before.Tenants {
		if _, still := d.Tenants[team]; !still {
			teams = append(teams, team)
		}
	}
	return claims, teams
}

// same says that a claim's status would be the same.
func same(a, b finding.Finding) bool {
	return a.ID == b.ID && a.Object == b.Object && a.Severity == b.Severity && a.Owner == b.Owner && a.Message == b.Message &&
		slices.Equal(a.Next, b.Next)
}
