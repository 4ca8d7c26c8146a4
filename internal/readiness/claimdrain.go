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
	Left  []string
	// Takeable says that Argo CD could take some of Left down if it were told again;
	// Tries is how often it was.
	Takeable bool
	Tries    int
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

// maxTries is how often Argo CD is told again to take down what it left behind. It
// overlooks what a sync made in the moment before the deletion; what it leaves for
// another reason it leaves each time.
const maxTries = 3

// Next says what to do and, where it is to wait, for what. It never asks for the
// Tenant (invariant O4).
func (d ClaimDrain) Next() (ClaimStep, Trouble) {
	switch {
	case d.Force != "":
		return d.forced()
	case d.Release != "" && (d.Application == nil || !d.Application.Going):
		return d.released()
	case d.Application != nil && !d.Application.Going:
		return DeleteApplication, Trouble{"ApplicationDeleting", "Argo CD removes what " + d.Name + " delivered"}
	case d.Application != nil && d.Known && len(d.Left) == 0:
		// Gone by any hand; Argo CD may not be running.
		return FreeApplication, Trouble{"ApplicationDeleting", "what " + d.Name + " delivered is gone"}
	case d.Application != nil:
		return AwaitApplication, Trouble{"ApplicationDeleting", d.Name + " is being deleted" + finalizer.Held(d.Application.Finalizers) + d.live() + d.Says}
	case len(d.Left) > 0 && d.ArgoCD && d.Takeable && d.Tries < maxTries:
		return TakeAgain, Trouble{"ApplicationDeleting", "the Application is gone and what it delivered is not: " + names(d.Left) + "; Argo CD is told again"}
	case len(d.Left) > 0 && !d.ArgoCD:
		return AwaitObjects, Trouble{"ArgoCDAbsent", "Argo CD, which would remove what was delivered, is not there; still live: " + names(d.Left)}
	case len(d.Left) > 0:
		return AwaitObjects, Trouble{"ObjectsRemain", "the Application is gone and what it delivered is not: " + names(d.Left)}
	default:
		return ReleaseClaim, Trouble{}
	}
}

func (d ClaimDrain) live() string {
	if len(d.Left) == 0 {
		return ""
	}
	return "; still live: " + names(d.Left)
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
