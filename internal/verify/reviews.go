package verify

import (
	"cmp"
	"maps"
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
	blocks map[string]*block
	rings  [3]ring
}

// block is one persona in one place.
type block struct {
	persona
	place string
	// strays are the bindings that are none of Demarc's and mean the persona here.
	strays []*rbac.Binding
	*cells
}

// NewReviews makes the questions.
func NewReviews(a Agreed) *Reviews {
	if a.Live == nil {
		a.Live = &rbac.World{}
	}
	f := &facts{set: &snapshot.Set{At: a.At}, contract: a.Contract, platform: a.Platform, settings: render.SettingsOf(a.Platform),
		tenants: slices.Clone(a.Tenants), grants: a.Grants, live: a.Live}
	f.settings.Contract, f.settings.Impersonation = a.Contract, true
	f.operator = operatorOf(f.live)
	slices.SortFunc(f.tenants, func(a, b *v1alpha1.Tenant) int { return cmp.Compare(a.Name, b.Name) })
	v := newVerifier(f)
	v.access()
	r := &Reviews{v: v, rights: newRights(v)}
	r.lay()
	return r
}

// Cells is how many questions there are.
func (r *Reviews) Cells() (n int) {
	for _, ring := range r.rings {
		n += ring.size
	}
	return n
}

// lay finds the blocks, each persona once in each place, and puts their cells into rings.
func (r *Reviews) lay() {
	l := layout{map[string]*block{}, map[string][]*block{}, map[string][]persona{}}
	teams := slices.DeleteFunc(slices.Clone(r.v.tenants), func(t *v1alpha1.Tenant) bool { return t.DeletionTimestamp != nil })
	for i, t := range teams {
		for _, p := range r.v.ofTeam(t.Name) {
			l.add(p, p.home, v1alpha1.NamespaceOf(teams[(i+1)%len(teams)].Name))
		}
	}
	for _, p := range r.v.ofNoTeam() {
		l.add(p)
		if len(teams) > 0 {
			l.add(p, v1alpha1.NamespaceOf(teams[0].Name))
		}
	}
	l.bound(r.v, r.rights)
	r.blocks = l.blocks
	for _, key := range slices.Sorted(maps.Keys(r.blocks)) {
		b := r.blocks[key]
		b.cells = r.rights.cells(b)
		if len(b.strays) > 0 {
			r.rings[0].put(b, slices.Concat(b.first, b.rest))
			continue
		}
		r.rings[1].put(b, b.first)
		r.rings[2].put(b, b.rest)
	}
}

// Again is a question that was asked before, with the answer that the contract gives now;
// false where it is asked no longer, or no answer of it would be wrong.
func (r *Reviews) Again(was Review) (Review, bool) {
	b := r.blocks[blockKey(was.As, was.Namespace)]
	if b == nil {
		return was, false
	}
	was.Who = b.name
	var sure bool
	was.Allowed, sure = r.rights.bounds(b.persona, b.place).right(was.Request)
	return was, sure
}
