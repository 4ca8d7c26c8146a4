package snapshot

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Unread is one thing that was looked for and could not be read.
type Unread struct {
	// Verb and Resource are the right that it takes; Name is empty for a list, and
	// Namespace for a cluster-scoped kind or for all namespaces.
	Verb      string `json:"verb"`
	Group     string `json:"group,omitempty"`
	Resource  string `json:"resource"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Why is empty where the right is missing.
	Why string `json:"why,omitempty"`
}

// String names the right that is missing, or what failed.
func (u Unread) String() string {
	what := u.Verb + " " + u.Resource
	if u.Group != "" {
		what += "." + u.Group
	}
	if u.Name != "" {
		what += " " + u.Name
	}
	if u.Namespace != "" {
		what += " in " + u.Namespace
	}
	if u.Why != "" {
		what += ": " + u.Why
	}
	return what
}

// GroupKind of what could not be read.
func (u Unread) GroupKind() schema.GroupKind { return schema.GroupKind{Group: u.Group, Kind: u.Kind} }

// Miss notes that something could not be read.
func (s *Set) Miss(u Unread) {
	if !slices.Contains(s.unread, u) {
		s.unread = append(s.unread, u)
	}
}

// Unread lists what could not be read.
func (s *Set) Unread() []Unread {
	out := slices.Clone(s.unread)
	slices.SortFunc(out, func(a, b Unread) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// NotAsked is why something was not read that nobody wanted to have read.
const NotAsked = "it was not asked for"

// NotAsked says that nobody wanted to have it read.
func (u Unread) NotAsked() bool { return u.Why == NotAsked }

// Listed is a kind that was listed, and answered for, in one namespace.
type Listed struct {
	schema.GroupKind
	Namespace string
}

// AddListed notes that a kind was listed in a namespace, and answered, although the list of
// all namespaces was not.
func (s *Set) AddListed(kind schema.GroupKind, namespace string) {
	if s.listed == nil {
		s.listed = map[Listed]bool{}
	}
	s.listed[Listed{kind, namespace}] = true
}

// Listed lists what was noted so.
func (s *Set) Listed() []Listed {
	return slices.SortedFunc(maps.Keys(s.listed), func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.String(), b.String()))
	})
}

// Unserved lists the kinds that the cluster does not serve, as far as it was asked.
func (s *Set) Unserved() []schema.GroupKind {
	return slices.SortedFunc(maps.Keys(s.unserved), func(a, b schema.GroupKind) int { return cmp.Compare(a.String(), b.String()) })
}

// Missed says what of a kind could not be read in a namespace, or of this name in it;
// what is not there and was not missed is absent. What was asked for by its name, and
// answered, is not missed although a list of its kind was refused.
func (s *Set) Missed(kind schema.GroupKind, namespace, name string) (Unread, bool) {
	if k := (key{kind, namespace, name}); s.objects[k] != nil || s.absent[k] {
		return Unread{}, false
	}
	var found *Unread
	for i, u := range s.unread {
		if u.GroupKind() != kind || u.Namespace != "" && u.Namespace != namespace || u.Name != "" && u.Name != name {
			continue
		}
		if u.Namespace == "" && u.Name == "" && s.listed[Listed{kind, namespace}] {
			continue
		}
		if found == nil || u.Name != "" { // what was asked for itself says more than a list
			found = &s.unread[i]
		}
	}
	if found == nil {
		return Unread{}, false
	}
	return *found, true
}
