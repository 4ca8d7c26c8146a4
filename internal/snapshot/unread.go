package snapshot

import (
	"cmp"
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
		if found == nil || u.Name != "" { // what was asked for itself says more than a list
			found = &s.unread[i]
		}
	}
	if found == nil {
		return Unread{}, false
	}
	return *found, true
}
