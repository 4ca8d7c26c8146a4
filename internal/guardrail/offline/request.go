package offline

import (
	"errors"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"demarc.dev/demarc/internal/guardrail/admitted"
)

// Operations of a request.
const (
	Create  = admission.Create
	Update  = admission.Update
	Delete  = admission.Delete
	Connect = admission.Connect
)

// Request is what is asked of an API server, with the objects as they were decoded: defaults
// and what the server sets are filled in when it is judged.
type Request struct {
	Operation admission.Operation
	// Object that is to be; nil for Delete.
	Object runtime.Object
	// Old is what is stored; nil for Create.
	Old runtime.Object
	// Namespace of an object that names none.
	Namespace string
	// Subresource such as scale; Resource is then of whose.
	Subresource string
	Resource    schema.GroupVersionResource
	// User who asks; somebody without a name that is known where it is empty.
	User user.DefaultInfo
}

// Scale is the request to scale what is stored, as kubectl scale makes it. It is nil where
// that cannot be scaled.
func Scale(stored runtime.Object, replicas int32) *Request {
	old := admitted.Scale(stored)
	if old == nil {
		return nil
	}
	to := old.DeepCopy()
	to.Spec.Replicas = replicas
	return &Request{Operation: Update, Object: to, Old: old, Subresource: "scale",
		Resource: admitted.KindOf(stored.GetObjectKind().GroupVersionKind()).Resource}
}

// seen is the request as policies see it.
func (r Request) seen(w *World) (admission.Attributes, error) {
	about := r.Object
	if about == nil {
		about = r.Old
	}
	if about == nil {
		return nil, errors.New("a request is about an object, and this has none")
	}
	kind := admitted.KindOf(about.GetObjectKind().GroupVersionKind())
	if r.Resource.Empty() {
		r.Resource = kind.Resource
	}
	if r.User.Name == "" {
		r.User = user.DefaultInfo{Name: "demarc-check", Groups: []string{user.AllAuthenticated}}
	}
	namespace, name := "", ""
	object, old := r.objects(w.At, kind.Cluster, w.Around)
	if m := admitted.Meta(first(object, old)); m != nil {
		namespace, name = m.GetNamespace(), m.GetName()
	}
	if kind.GroupKind() == (schema.GroupKind{Kind: "Namespace"}) {
		namespace = name // the API server has it so
	}
	return admission.NewAttributesRecord(object, old, kind.GroupVersionKind, namespace, name, r.Resource, r.Subresource, r.Operation, nil, false, &r.User), nil
}

func (r Request) objects(at time.Time, cluster bool, around admitted.Surroundings) (object, old runtime.Object) {
	place := func(o runtime.Object) runtime.Object {
		if o == nil {
			return nil
		}
		return admitted.Placed(o, r.Namespace, cluster)
	}
	object, old = place(r.Object), place(r.Old)
	if _, ok := object.(*autoscalingv1.Scale); ok {
		return object, old // it is no object that is stored
	}
	if old != nil {
		old = admitted.Stored(old, at, around)
	}
	switch {
	case object == nil:
	case old == nil:
		object = admitted.Create(object, at, around)
	default:
		object = admitted.Update(object, old, at)
	}
	return object, old
}

func first(a, b runtime.Object) runtime.Object {
	if a != nil {
		return a
	}
	return b
}
