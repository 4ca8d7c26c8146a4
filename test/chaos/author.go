package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// author writes the lane of one team. Whatever it does, how the lane ends does not hang on when what was done: a Tenant
// that is deleted has all its claims deleted after it, and what a claim's team was not there for waits.
type author struct {
	r      *rand.Rand
	team   string
	window time.Duration
	at     time.Duration
	steps  []step
	tenant *v1alpha1.Tenant
	claims map[string]*v1alpha1.ServiceClaim
	// made counts the claims that were ever made, for their names.
	made int
}

// write the lane of the i-th team. A few teams are peculiar.
func (a *author) write(i int) {
	a.at = a.moment(0, a.window/3)
	switch i % 25 {
	case 3: // no Tenant ever comes
		a.newClaim()
		a.at = a.moment(a.window/3, a.window)
		a.changeClaim()
		return
	case 5: // the namespace is somebody else's, for a time or for good
		a.taken(strangeNamespace(a.team))
		return
	case 11: // the project is somebody else's, for a time or for good
		a.taken(strangeProject(a.team))
		return
	}
	a.begin()
	for n := 1 + a.r.IntN(2); n > 0; n-- {
		a.at += a.moment(0, (a.window-a.at)/time.Duration(n))
		a.event()
	}
}

// moment between two, at random.
func (a *author) moment(from, to time.Duration) time.Duration {
	return from + time.Duration(a.r.Int64N(int64(max(to-from, 1))))
}

// soon lets a little time pass.
func (a *author) soon() { a.at = min(a.at+a.moment(0, a.window/20), a.window) }

// begin makes a team with its claims, in either order.
func (a *author) begin() {
	claims := []int{1, 1, 2}[a.r.IntN(3)]
	first := a.r.IntN(3) == 0
	if first {
		a.newClaim()
		claims--
	}
	a.putTenant("create Tenant")
	for range claims {
		a.soon()
		a.newClaim()
	}
}

// event is one thing that happens to a team that is there.
func (a *author) event() {
	if a.tenant == nil { // it was deleted for good
		a.newClaim()
		return
	}
	options := []func(){
		a.changeClaim, a.changeClaim, a.changeClaim, a.changeTenant, a.changeTenant,
		a.dropClaim, a.remakeClaim, a.remakeClaim, a.newClaim, a.dropTeam, a.dropTeam, a.dropClaimsThenTeam,
	}
	options[a.r.IntN(len(options))]()
}

func (a *author) put(what string, o client.Object) {
	a.steps = append(a.steps, step{at: a.at, what: what, put: o})
}

func (a *author) remove(what string, o client.Object) {
	a.steps = append(a.steps, step{at: a.at, what: what, remove: o})
}

func (a *author) putTenant(what string) {
	a.tenant = &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: a.team}, Spec: a.tenantSpec()}
	a.put(what, a.tenant)
}

func (a *author) changeTenant() { a.putTenant("change Tenant") }

func (a *author) newClaim() {
	name := fmt.Sprintf("%s-%c", a.team, 'a'+a.made)
	a.made++
	a.putClaim("create claim", name)
}

func (a *author) putClaim(what, name string) {
	a.claims[name] = &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: a.claimSpec()}
	a.put(what, a.claims[name])
}

// any claim of the team, if it has one.
func (a *author) any() (string, bool) {
	names := slices.Sorted(maps.Keys(a.claims))
	if len(names) == 0 {
		return "", false
	}
	return names[a.r.IntN(len(names))], true
}

func (a *author) changeClaim() {
	if name, ok := a.any(); ok {
		a.putClaim("change claim", name)
	}
}

func (a *author) dropClaim() {
	if name, ok := a.any(); ok {
		a.remove("delete claim", a.claims[name])
		delete(a.claims, name)
	}
}

func (a *author) remakeClaim() {
	if name, ok := a.any(); ok {
		a.remove("delete claim", a.claims[name])
		a.putClaim("re-create claim", name)
	}
}

// dropTeam deletes the Tenant while it has claims, and then these, at once or bit by bit.
func (a *author) dropTeam() {
	old := maps.Clone(a.claims)
	a.remove("delete Tenant with claims", a.tenant)
	a.tenant = nil
	if a.r.IntN(3) == 0 {
		a.changeClaim() // which waits, or comes just in time
	}
	if a.r.IntN(3) == 0 {
		a.newClaim() // which waits for the next Tenant
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if a.r.IntN(2) == 0 {
			a.soon()
		}
		a.remove("delete claim", old[name])
		delete(a.claims, name)
	}
	a.perhapsAgain()
}

func (a *author) dropClaimsThenTeam() {
	for _, name := range slices.Sorted(maps.Keys(a.claims)) {
		a.remove("delete claim", a.claims[name])
		delete(a.claims, name)
	}
	a.remove("delete Tenant", a.tenant)
	a.tenant = nil
	a.perhapsAgain()
}

// perhapsAgain makes the team anew, mostly.
func (a *author) perhapsAgain() {
	if a.r.IntN(4) == 0 {
		return
	}
	if a.r.IntN(2) == 0 {
		a.soon()
	}
	if a.r.IntN(2) == 0 {
		a.newClaim()
	}
	a.putTenant("re-create Tenant")
	if a.r.IntN(2) == 0 {
		a.newClaim()
	}
}

// taken makes a team whose place is a stranger's, which goes again half of the time.
func (a *author) taken(stranger client.Object) {
	a.put("put a stranger in the way", stranger)
	a.begin()
	a.at = a.moment(a.window/2, a.window)
	a.changeTenant()
	if a.r.IntN(2) == 0 {
		a.remove("take the stranger away", stranger)
	}
}
