package readiness

import (
	"slices"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finalizer"
)

// ClaimDrain is what was read, live, of a claim that is being deleted.
type ClaimDrain struct {
	// ArgoCD says that its kinds are served.
	ArgoCD bool
	// Application of ours that is still there.
	Application *Remains
	// Name of the Application with its namespace, and what Argo CD says of it.
	Name, Says string
	// Known says that there is an inventory and that all of it can be looked at; Left
	// are those of its objects that are still there.
	Known bool
	Left  []Left
	// Tries is how often Argo CD was told again to take down what is left.
	Tries int
	// Release is the reason for which the Application is to stay; Force the one for
	// which Demarc is to let go of what blocks.
	Release, Force string
}

// ClaimStep is the next thing to do.
type ClaimStep string

// The steps of a claim's drain, in their order.
const (
	DeleteApplication ClaimStep = "DeleteApplication"
	AwaitApplication  ClaimStep = "AwaitApplication"
	FreeApplication   ClaimStep = "FreeApplication"
	AwaitObjects      ClaimStep = "AwaitObjects"
	TakeAgain         ClaimStep = "TakeAgain"
	KeepApplication   ClaimStep = "KeepApplication"
	ForceApplication  ClaimStep = "ForceApplication"
	ReleaseClaim      ClaimStep = "ReleaseClaim"
)

// MaxTries is how often Argo CD is told again to take down what it left behind. It
// overlooks what a sync made in the moment before the deletion; what it leaves for
// another reason it leaves each time.
const MaxTries = 3

// Next says what to do and, where it is to wait, for what. It never asks for the
// Tenant (invariant O4).
func (d ClaimDrain) Next() (ClaimStep, Trouble) {
	switch {
	case d.Force != "":
		return d.forced()
	case d.Release != "" && (d.Application == nil || !d.Application.Going):
		return d.released()
	case d.Application != nil:
		return d.takesDown()
	case len(d.Left) > 0 && d.ArgoCD && d.Tries < MaxTries && slices.ContainsFunc(d.Left, Left.takeable):
		return TakeAgain, Trouble{"ApplicationDeleting", "the Application is gone and what it delivered is not: " + list(d.Left) + "; Argo CD is told again"}
	case len(d.Left) > 0:
		return AwaitObjects, d.awaitsObjects()
	default:
		return ReleaseClaim, Trouble{}
	}
}

// takesDown sees the Application off.
func (d ClaimDrain) takesDown() (ClaimStep, Trouble) {
	switch {
	case !d.Application.Going:
		return DeleteApplication, Trouble{"ApplicationDeleting", "Argo CD removes what " + d.Name + " delivered"}
	case d.Known && len(d.Left) == 0 && slices.ContainsFunc(d.Application.Finalizers, argocd.Removes):
		// Gone by any hand; Argo CD may not be running.
		return FreeApplication, Trouble{"ApplicationDeleting", "what " + d.Name + " delivered is gone"}
	default:
		return AwaitApplication, d.awaits()
	}
}

// awaits says what an Application that is being deleted waits for: it is not Argo CD's
// turn where others hold what Argo CD deletes already.
func (d ClaimDrain) awaits() Trouble {
	said := Trouble{"ApplicationDeleting", d.Name + " is being deleted" + finalizer.Held(d.Application.Finalizers)}
	held, rest := apart(d.Left)
	if len(held) > 0 {
		said = Trouble{"ObjectsHeld", "what was delivered is held: " + list(held) + "; " + said.Message}
	} else if d.Application.heldByOthers() && !slices.ContainsFunc(d.Application.Finalizers, argocd.Holds) {
		said.Reason = "ObjectsHeld"
	}
	if len(rest) > 0 {
		said.Message += "; still live: " + list(rest)
	}
	said.Message += d.Says
	return said
}

// awaitsObjects says who acts on what is left when the Application is gone.
func (d ClaimDrain) awaitsObjects() Trouble {
	held, rest := apart(d.Left)
	switch {
	case len(rest) == 0:
		return Trouble{"ObjectsHeld", "the Application is gone and what it delivered is held: " + list(held)}
	case !d.ArgoCD:
		return Trouble{"ArgoCDAbsent", "Argo CD, which would remove what was delivered, is not there; still live: " + list(d.Left)}
	default:
		return Trouble{"ObjectsRemain", "the Application is gone and what it delivered is not: " + list(d.Left)}
	}
}

// released lets the Application be nobody's before the claim goes.
func (d ClaimDrain) released() (ClaimStep, Trouble) {
	if d.Application != nil {
		return KeepApplication, Trouble{"Releasing", d.Name + " stays, as demarc.dev/release asks (" + d.Release + ")"}
	}
	return ReleaseClaim, Trouble{}
}

// forced takes the Application away without what it delivered, and lets go.
func (d ClaimDrain) forced() (ClaimStep, Trouble) {
	forced := Trouble{"Forced", "letting go, as demarc.dev/force asks (" + d.Force + ")"}
	if d.Application != nil && (!d.Application.Going || slices.ContainsFunc(d.Application.Finalizers, argocd.Holds)) {
		return ForceApplication, forced
	}
	return ReleaseClaim, forced
}
