package triage

import (
	"fmt"
	"regexp"

	"demarc.dev/demarc/internal/finalizer"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// namespacesStuck in their deletion: DM512 and DM513.
func namespacesStuck(w *world) (all []found) {
	for _, o := range w.objects[namespaceKind] {
		if o.GetDeletionTimestamp() == nil || w.since(o.GetDeletionTimestamp().Time) < slow {
			continue
		}
		if f := w.stuck(o); f != nil {
			all = append(all, *f)
		}
	}
	return all
}

// stays is what keeps a namespace, by the condition that says so; what of it is evidence, and
// gets less.
var stays = map[string]string{
	"NamespaceFinalizersRemaining":    "finalizers hold what is in it",
	"NamespaceContentRemaining":       "something in it stays",
	"NamespaceDeletionContentFailure": "something in it cannot be deleted",
}

func (w *world) stuck(o snapshot.Object) *found {
	ref := refOf(namespaceKind, o)
	since := finding.Evidence{Object: ref, Field: "metadata.deletionTimestamp", Value: ago(w.since(o.GetDeletionTimestamp().Time)) + " ago", Time: o.GetDeletionTimestamp().Time}
	for _, kind := range []string{"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure"} {
		if v, ok := verdictOf(o, kind); ok && v.status == "True" {
			f := &found{id: "DM513", object: ref, space: o.GetName(), message: fmt.Sprintf("namespace %s is being deleted, and the API server cannot say what is in it", o.GetName()), evidence: []finding.Evidence{v.evidence(ref), since}}
			for _, s := range w.objects[apiServiceKind] {
				f.after = append(f.after, cause{refOf(apiServiceKind, s), []string{"DM508"}})
			}
			return f
		}
	}
	for _, kind := range []string{"NamespaceFinalizersRemaining", "NamespaceContentRemaining", "NamespaceDeletionContentFailure"} {
		if v, ok := verdictOf(o, kind); ok && v.status == "True" {
			f := &found{id: "DM512", object: ref, space: o.GetName(), args: map[string]string{"ns": o.GetName()}, message: fmt.Sprintf("namespace %s is being deleted, and %s", o.GetName(), stays[kind]), evidence: []finding.Evidence{v.evidence(ref), since}}
			f.domains = whoseFinalizers(v.message)
			for _, p := range w.podsIn[o.GetName()] {
				f.after = append(f.after, cause{p.top, []string{"DM132", "DM146"}})
			}
			return f
		}
	}
	return nil
}

var finalizersRemaining = regexp.MustCompile(`(\S+) in \d+ resource instances`)

// whoseFinalizers are the domains of the finalizers that a namespace waits for. Whose the
// controller of one is that is not known, both sides see.
func whoseFinalizers(message string) []string {
	named := finalizersRemaining.FindAllStringSubmatch(message, -1)
	for _, m := range named {
		if !finalizer.Known(m[1]) {
			return []string{"application-deployment", "namespace-creation"}
		}
	}
	if len(named) > 0 {
		return []string{"namespace-creation"}
	}
	return nil
}
