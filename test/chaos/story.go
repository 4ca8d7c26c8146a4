package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// story is what people do in a round: a pure function of the seed and the number of teams.
type story struct{ lanes []lane }

// lane is what is done for one team, one step after the other. Lanes go on beside each other.
type lane struct {
	team  string
	steps []step
}

// step is one thing that is done. It begins when its time has come and the step before it in its lane is done.
type step struct {
	at   time.Duration
	what string
	// put is an object as it shall be. One of that name that is being deleted is awaited first.
	put client.Object
	// remove is an object that is deleted, without waiting for it to be gone.
	remove client.Object
}

// newStory makes one for so many teams, whose names begin with a prefix, within a span of time.
func newStory(seed uint64, prefix string, teams int, window time.Duration) story {
	var s story
	for i := range teams {
		team := fmt.Sprintf("%s-%03d", prefix, i)
		h := fnv.New64a()
		fmt.Fprint(h, i)
		a := &author{r: rand.New(rand.NewPCG(seed, h.Sum64())), team: team, window: window, claims: map[string]*v1alpha1.ServiceClaim{}}
		a.write(i)
		s.lanes = append(s.lanes, lane{team, a.steps})
	}
	return s
}

// counts are the steps by what they are.
func (s story) counts() map[string]int {
	out := map[string]int{}
	for _, l := range s.lanes {
		for _, step := range l.steps {
			out[step.what]++
		}
	}
	return out
}

// key names an object.
type key struct {
	schema.GroupKind
	namespace, name string
}

func (k key) String() string {
	text := k.Kind + " "
	if k.namespace != "" {
		text += k.namespace + "/"
	}
	return text + k.name
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.Kind, o.Kind), cmp.Compare(k.namespace, o.namespace), cmp.Compare(k.name, o.name))
}

var (
	tenantKind = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	claimKind  = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
)

func keyOf(o client.Object) key {
	gk := o.GetObjectKind().GroupVersionKind().GroupKind()
	switch o.(type) {
	case *v1alpha1.Tenant:
		gk = tenantKind
	case *v1alpha1.ServiceClaim:
		gk = claimKind
	}
	return key{gk, o.GetNamespace(), o.GetName()}
}

// world is what has been asked for: every object that was put and not removed since.
type world map[key]client.Object

// tell adds a story to what has been asked for.
func (w world) tell(s story) {
	for _, l := range s.lanes {
		for _, step := range l.steps {
			if step.put != nil {
				w[keyOf(step.put)] = step.put
			} else {
				delete(w, keyOf(step.remove))
			}
		}
	}
}

func (w world) tenant(name string) *v1alpha1.Tenant {
	t, _ := w[key{tenantKind, "", name}].(*v1alpha1.Tenant)
	return t
}

// tenants and claims, sorted by name.
func (w world) tenants() []*v1alpha1.Tenant      { return sorted[*v1alpha1.Tenant](w) }
func (w world) claims() []*v1alpha1.ServiceClaim { return sorted[*v1alpha1.ServiceClaim](w) }

// strangers are objects that are nobody's in Demarc.
func (w world) strangers() []client.Object {
	return slices.DeleteFunc(sorted[client.Object](w), func(o client.Object) bool {
		gk := keyOf(o).GroupKind
		return gk == tenantKind || gk == claimKind
	})
}

func sorted[T client.Object](w world) []T {
	var out []T
	for _, o := range w {
		if t, ok := o.(T); ok {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b T) int { return keyOf(a).compare(keyOf(b)) })
	return out
}
