package kube

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ConflictError says that an object of the right name is somebody else's.
type ConflictError struct {
	Object string
	Owner  string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s exists and belongs to %s", e.Object, e.Owner)
}

// TerminatingError says that an object of ours is on its way out; nothing is
// written to it and nothing created in its place until it is gone.
type TerminatingError struct{ Object string }

func (e *TerminatingError) Error() string { return e.Object + " is being deleted" }

// NoNamespaceError says that an object cannot be made because its namespace is not there.
type NoNamespaceError struct{ Object, Namespace string }

func (e *NoNamespaceError) Error() string {
	return fmt.Sprintf("%s cannot be made: namespace %s does not exist", e.Object, e.Namespace)
}

// Kind sorts an error by what must happen for it to go away. It is the one place
// that does; reasons, events and requeues follow from it.
type Kind int

const (
	// Transient errors go away by trying again: conflicts, timeouts, throttling.
	Transient Kind = iota
	// Conflict needs the other owner, or the platform team, to act.
	Conflict
	// Terminating goes by itself when what blocks the deletion goes.
	Terminating
	// Forbidden needs the operator's rights, or a policy, to change.
	Forbidden
	// Invalid needs another spec: the API server will not take this one.
	Invalid
	// NoNamespace needs a namespace that is not there.
	NoNamespace
	// NoKind needs a CRD that is not installed.
	NoKind
	// NoContract needs a contract that does not contradict itself.
	NoContract
)

// KindOf sorts an error.
func KindOf(err error) Kind {
	var conflict *ConflictError
	var terminating *TerminatingError
	var nowhere *NoNamespaceError
	var unsound *InvalidContractError
	switch {
	case errors.As(err, &unsound):
		return NoContract
	case errors.As(err, &conflict):
		return Conflict
	case errors.As(err, &terminating):
		return Terminating
	case errors.As(err, &nowhere):
		return NoNamespace
	case meta.IsNoMatchError(err):
		return NoKind
	case apierrors.IsInvalid(err) && strings.Contains(err.Error(), "metadata.uid"):
		return Transient // what was compared was replaced meanwhile: compare again
	case err != nil && strings.Contains(err.Error(), "failed to configure policy"):
		return Transient // an API server that has just started does not know our CRDs yet
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return Forbidden
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return Invalid
	default:
		return Transient
	}
}

// Name names an object the way kubectl does, with its namespace.
func Name(o client.Object) string {
	name := strings.ToLower(o.GetObjectKind().GroupVersionKind().Kind) + "/" + o.GetName()
	if ns := o.GetNamespace(); ns != "" {
		return name + " in " + ns
	}
	return name
}
