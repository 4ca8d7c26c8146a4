package drift

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/snapshot"
)

// Then is what happens next to a difference.
type Then struct {
	// What in a word, one of those below.
	What string `json:"what"`
	Says string `json:"says"`
}

// What may happen next.
const (
	Reverts   = "reverted"
	Stays     = "stays"
	Ignored   = "ignored"
	Overwrite = "overwritten"
	Conflicts = "conflicts"
	Unknown   = "unknown"
)

// next is what happens to a field that differs; added fields are none that is declared.
func (w *world) next(d *declaration, p fieldpath.Path, manager string, added bool) Then {
	if scaler := w.autoscaler(d.live); scaler != nil && p.Equals(replicas) {
		return Then{Overwrite, "HorizontalPodAutoscaler " + scaler.GetName() + " sets the number anew, whoever changed it"}
	}
	if keyOf(d.live).GroupKind == ApplicationKind && d.by.Claim != "" {
		if added {
			return Then{Stays, "Demarc's operator leaves alone what others add to an Application"}
		}
		return Then{Reverts, "Demarc's operator puts it back within seconds, while it runs"}
	}
	if d.by.Application == "" {
		return d.appliedNext(added)
	}
	if d.app == nil {
		return Then{Unknown, "Application " + d.by.Application + " could not be read, so whether it heals itself is not known"}
	}
	by, unsure := w.ignores(d, p, manager)
	switch {
	case by != "" && (d.app.respects() || added):
		return Then{Ignored, "Argo CD leaves it alone: " + by}
	case by != "":
		return Then{Ignored, "Argo CD does not compare it (" + by + "), and the next sync for another reason overwrites it"}
	case added:
		return Then{Stays, "Argo CD does not look at fields that Git does not mention: it stays until somebody takes it away"}
	}
	then := d.app.next("reverted", "it is")
	if unsure != "" {
		then.Says += "; ignoreDifferences has an expression that is not evaluated here and may leave it alone: " + unsure
	}
	return then
}

// appliedNext is for what no Argo CD brings.
func (d *declaration) appliedNext(added bool) Then {
	switch manager := d.by.Manager; {
	case d.by.Claim != "":
		return Then{Unknown, "there is no Argo CD that would bring what the claim says"}
	case added:
		return Then{Stays, "an apply leaves alone what it does not mention"}
	case manager == fluxManager || manager == fluxHelm:
		return Then{Reverts, "Flux puts it back at its next reconciliation, unless that is suspended"}
	case manager == helmManager:
		return Then{Stays, "it stays until the next helm upgrade, which may overwrite it"}
	case manager == applyByFile || lastApplied(d.live) != nil:
		return Then{Stays, "it stays until the file is applied again, which overwrites it"}
	default:
		return Then{Conflicts, "it stays; the next server-side apply by " + manager + " is refused as a conflict, or overwrites it where that is forced"}
	}
}

// next is what Argo CD does with what is out of sync: done is the word for it.
func (a *application) next(done, it string) Then {
	stuck := a.stuck()
	switch {
	case a.selfHeals() && stuck != "":
		return Then{Stays, "self-heal is on, and Argo CD does not get there: " + stuck}
	case a.selfHeals():
		return Then{Reverts, it + " " + done + " by Argo CD within seconds of its seeing it: self-heal is on"}
	case a.automated():
		return Then{Stays, "it stays until a commit changes what this Application delivers, or somebody syncs: self-heal is off"}
	default:
		return Then{Stays, "it stays until somebody syncs: Argo CD does not sync by itself"}
	}
}

// autoscaler is the one that keeps the number of a workload, nil where none does.
func (w *world) autoscaler(o snapshot.Object) snapshot.Object { return w.autoscalers[keyOf(o)] }

// keep is how a difference is made to last, or to go.
func (d *declaration) keep(p fieldpath.Path) string {
	says := "if it is meant, write it to Git"
	switch of := dotted(p); {
	case d.by.Claim != "" && of == "spec.replicas":
		says = "if it is meant, set spec.replicas of claim " + d.by.Claim
	case d.by.Claim != "":
		says = "if it is meant, change claim " + d.by.Claim
	case d.by.Application == "":
		says = "if it is meant, write it to what is applied"
	}
	if d.by.Application != "" {
		return says + "; if not, sync Application " + d.by.Application
	}
	return says + "; if not, apply that again"
}
