// Package dump is what was read of a cluster, as files: it writes them without what is
// secret, and reads them back, and those that kubectl and must-gather write.
package dump

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/snapshot"
)

// Group and Kind of the head of a dump. It stands behind all others, so that a dump that was
// cut off has none.
const (
	Group = "dump.demarc.dev"
	Kind  = "Dump"
)

var headKind = schema.GroupKind{Group: Group, Kind: Kind}

// Head says of a dump what its objects do not: when they were read, of which namespaces, and
// what is not in it though it may be in the cluster.
type Head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	// At is when the cluster was read, By what.
	At time.Time `json:"at"`
	By string    `json:"by,omitempty"`
	// Namespaces that were asked for; empty is all.
	Namespaces []string          `json:"namespaces,omitempty"`
	Unread     []snapshot.Unread `json:"unread,omitempty"`
	// Unserved are kinds that the cluster does not know, Listed those that were listed in one
	// namespace where the list of all was not answered.
	Unserved []kindIn `json:"unserved,omitempty"`
	Listed   []kindIn `json:"listed,omitempty"`
	// LeftOut counts what was left out, by rule.
	LeftOut map[string]int `json:"leftOut,omitempty"`
}

type kindIn struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
}

func (k kindIn) groupKind() schema.GroupKind { return schema.GroupKind{Group: k.Group, Kind: k.Kind} }

func headOf(set *snapshot.Set, namespaces []string, by string, left map[string]int) Head {
	h := Head{APIVersion: Group + "/v1", Kind: Kind, At: set.At.UTC(), By: by, Namespaces: namespaces, Unread: set.Unread(), LeftOut: left}
	h.Metadata.Name = "dump"
	for _, l := range set.Listed() {
		h.Listed = append(h.Listed, kindIn{l.Group, l.Kind, l.Namespace})
	}
	for _, k := range set.Unserved() {
		h.Unserved = append(h.Unserved, kindIn{Group: k.Group, Kind: k.Kind})
	}
	return h
}

// tell notes in a set what the head of its dump says.
func (h Head) tell(set *snapshot.Set) {
	set.At = h.At
	for _, u := range h.Unread {
		set.Miss(u)
	}
	for _, k := range h.Unserved {
		set.AddUnserved(k.groupKind())
	}
	for _, l := range h.Listed {
		set.AddListed(l.groupKind(), l.Namespace)
	}
}
