// Package who says who owns a thing: an object, a kind, a field, a file in Git or what
// an alert is about. From a snapshot and the contract it makes the six answers, the
// people behind them, the way to change it, who changed it last, and what who asks
// may do.
package who

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/contract"
)

// Question is what is asked. Exactly one of Object, Alert and File is set.
type Question struct {
	// Object, or a kind where it has no name.
	Object *Object
	// Field of the object, as a path with dots.
	Field Field
	// Alert by its labels.
	Alert map[string]string
	// File in a Git repository.
	File *File
	// From says where the snapshot comes from.
	From From
	// Self is who asks, and Permits what the API server says that they may do.
	Self    *Self
	Permits []Permit
}

// From is where a snapshot comes from.
type From string

// The sources. Only a cluster can say what who asks may do.
const (
	FromCluster From = "cluster"
	FromFiles   From = "files"
	FromNothing From = "nothing"
)

// Object is one object, or a kind where it has no name.
type Object struct {
	Group    string `json:"group,omitempty"`
	Kind     string `json:"kind"`
	Resource string `json:"resource,omitempty"`
	// Cluster kinds live in no namespace.
	Cluster   bool   `json:"clusterScoped,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Unserved kinds are named by the contract, and the cluster does not know them.
	Unserved bool `json:"unserved,omitempty"`
}

// GroupKind of the object.
func (o Object) GroupKind() schema.GroupKind { return schema.GroupKind{Group: o.Group, Kind: o.Kind} }

// String names it the way kubectl does.
func (o Object) String() string {
	text := strings.ToLower(o.Kind)
	if o.Name != "" {
		text += "/" + o.Name
	}
	if o.Namespace != "" {
		text += " in " + o.Namespace
	}
	return text
}

func objectOf(k contract.Served) Object {
	return Object{Group: k.Group, Kind: k.Kind, Resource: k.Resource, Cluster: k.Cluster}
}

// File is a file in a Git repository.
type File struct {
	// Repository by its name in the contract, or its URL; empty is any.
	Repository string `json:"repository,omitempty"`
	// Path from the top of the repository.
	Path string `json:"path"`
	// Holds are the objects in it, where it could be read.
	Holds []Held `json:"holds,omitempty"`
}

// Held is an object that a file holds, and whose it is.
type Held struct {
	Object
	Labels map[string]string `json:"-"`
	Domain string            `json:"domain,omitempty"`
}

// Self is who asks.
type Self struct {
	User   string   `json:"user"`
	Groups []string `json:"groups,omitempty"`
}

// Access is one thing that who asks may or may not do.
type Access struct {
	Verb        string `json:"verb"`
	Group       string `json:"group,omitempty"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
}

// Permit is the API server's answer to that.
type Permit struct {
	Access
	Allowed bool `json:"allowed"`
	// Because is the authorizer's reason, where it gave one.
	Because string `json:"because,omitempty"`
}

// Ref is an object that the answer looks at.
type Ref struct {
	Kind            schema.GroupKind
	Namespace, Name string
}
