package verify

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// Agreed is what the questions to the API server are made from.
type Agreed struct {
	Contract *contract.Contract
	// Platform is nil where there is none.
	Platform *v1alpha1.Platform
	Tenants  []*v1alpha1.Tenant
	Grants   []*v1alpha1.AccessGrant
	// Live is RBAC as it is. It says where to look first, and nothing of what is right; nil
	// is that nothing is known.
	Live *rbac.World
	// At is when all this was read.
	At time.Time
}

// Review is one question to the API server, as a SubjectAccessReview asks it, with the
// answer that the contract gives.
type Review struct {
	// Who is the persona, As whom it acts.
	Who string
	As  rbac.Identity
	// Namespace is empty for what holds everywhere.
	Namespace string
	Request   rbac.Request
	Allowed   bool
}

// Key is the same for the same question.
func (r Review) Key() string {
	q := r.Request
	return strings.Join([]string{identityKey(r.As), r.Namespace, q.Verb, q.Group, q.Resource, q.Name, q.Path}, "\n")
}

// String is the cell as people read it.
func (r Review) String() string { return r.Who + ": " + asked(r.Request) + where(r.Namespace) }

// Reviews are all questions: for each persona everywhere, in its own namespace, in that
// of another team, and in team namespaces where a binding means it.
//
//	suspects   cells of whom a binding means that is none of Demarc's: all of them
//	dangerous  cells from which other rights follow
//	rest       all others
//
// A team's own accounts are left out at home: what a team gives them there is its own to
// say, and only the binding tells that it was the team.
type Reviews struct {
	v      *verifier
	rights *rights
	// people are sorted by their keys.
	people []*somebody
	// teams are the namespaces of those that stay, next the one after each.
	teams []string
	next  map[string]string
	// strays are the bindings that are none of Demarc's, by the key of whom they mean.
	strays map[string][]*rbac.Binding
	// sizes of the rings: suspects, dangerous, rest.
	sizes [3]int
}

// NewReviews makes the questions.
func NewReviews(a Agreed) *Reviews {
	if a.Live == nil {
		a.Live = &rbac.World{}
	}
	f := &facts{set: &snapshot.Set{At: a.At}, contract: a.Contract, platform: a.Platform, settings: render.SettingsOf(a.Platform),
		tenants: slices.Clone(a.Tenants), byName: byName(a.Tenants), grants: a.Grants, live: a.Live}
	f.settings.Contract, f.settings.Impersonation = a.Contract, true
	f.operator = operatorOf(f.live)
	slices.SortFunc(f.tenants, func(a, b *v1alpha1.Tenant) int { return cmp.Compare(a.Name, b.Name) })
	v := newVerifier(f)
	r := &Reviews{v: v, rights: &rights{v, v.access(), map[string]size{}, map[string]*cells{}}, strays: map[string][]*rbac.Binding{}}
	r.lay()
	return r
}

// Cells is how many questions there are.
func (r *Reviews) Cells() (n int) { return r.sizes[0] + r.sizes[1] + r.sizes[2] }

// lay finds whom to ask for, and counts the questions.
func (r *Reviews) lay() {
	r.teams, r.next = neighbours(r.v.tenants)
	var personas []persona
	for _, t := range r.v.tenants {
		if t.DeletionTimestamp == nil {
			personas = append(personas, r.v.ofTeam(t.Name)...)
		}
	}
	r.people = crowd(append(personas, r.v.ofNoTeam()...))
	r.suspect()
	slices.SortFunc(r.people, func(a, b *somebody) int { return cmp.Compare(a.key, b.key) })
	for b := range r.from(Mark{}) {
		size := r.rights.size(b)
		if len(b.strays) > 0 {
			r.sizes[0] += size.first + size.rest
			continue
		}
		r.sizes[1], r.sizes[2] = r.sizes[1]+size.first, r.sizes[2]+size.rest
	}
}

// Again is a question that was asked before, with the answer that the contract gives now;
// false where it is asked no longer, or no answer of it would be wrong.
func (r *Reviews) Again(was Review) (Review, bool) {
	for b := range r.from(Mark{who: identityKey(was.As), place: was.Namespace}) {
		if b.who != identityKey(was.As) || b.place != was.Namespace {
			break
		}
		var sure bool
		was.Who = b.name
		was.Allowed, sure = b.right(was.Request)
		return was, sure
	}
	return was, false
}
