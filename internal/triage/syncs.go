package triage

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
)

// operation is the last sync: one that failed for what is to be there now, or that does not end.
func (w *world) operation(d delivered, op *argocd.Operation) (all []found) {
	switch op.Phase {
	case "Running":
		begun, _, _ := unstructured.NestedString(d.live.Object, "status", "operationState", "startedAt")
		at, err := time.Parse(time.RFC3339, begun)
		if err != nil || w.since(at) < 3*slow {
			return nil
		}
		f := d.of("DM412", fmt.Sprintf("a sync of application %s does not end: %s", d.ref.Name, said(op.Message)), "status.operationState", op.Phase+": "+op.Message)
		f.after = append(tracked(d), w.hookOf(op.Message, d.space)...)
		return []found{f}
	case "Failed", "Error":
	default:
		return nil
	}
	if d.Status.Sync.Status == "Synced" || len(d.Operation) > 0 || op.SyncResult.Revision != "" && op.SyncResult.Revision != d.Status.Sync.Revision {
		return nil
	}
	for _, r := range op.SyncResult.Resources {
		if r.Status == "SyncFailed" && r.Message != "" {
			all = append(all, w.syncFailed(d, r.Kind+" "+r.Name, r.Message))
		}
	}
	if len(all) == 0 {
		all = append(all, w.syncFailed(d, "", op.Message))
	}
	return all
}

// hookOf is the object that a sync waits for: "waiting for completion of hook batch/Job/migrate".
func (w *world) hookOf(message, space string) []cause {
	_, what, _ := strings.Cut(message, "hook ")
	parts := strings.Split(strings.Fields(what + " -")[0], "/")
	if len(parts) != 3 {
		return nil
	}
	return []cause{{finding.Object{Group: parts[0], Kind: parts[1], Namespace: space, Name: parts[2]}, nil}}
}

// syncFailed sorts why an object was not taken.
func (w *world) syncFailed(d delivered, what, message string) found {
	top := finding.Object{Group: d.ref.Group, Kind: d.ref.Kind, Namespace: d.ref.Namespace, Name: d.ref.Name}
	seen := finding.Evidence{Object: d.ref, Field: "status.operationState.syncResult", Value: strings.TrimSpace(what + " " + said(message))}
	says := own(message)
	switch {
	case has(says, "not permitted in project"):
		f := d.of("DM402", fmt.Sprintf("application %s brings %s, which its project does not permit: %s", d.ref.Name, what, said(message)), seen.Field, seen.Value)
		f.part, f.domains = what, []string{"application-deployment"} // the contract says which kinds Git may bring
		return f
	case policyDenied.MatchString(says), webhookDenied.MatchString(says), webhookFailed.MatchString(says), quotaExceeded.MatchString(says):
		f := w.refused(refusal{top, strings.ToLower(what) + " of " + words(top), message, seen, d.space})[0]
		f.space = d.space
		if f.object == top {
			f.part = what
		}
		return f
	}
	f := d.of("DM403", fmt.Sprintf("application %s could not be synced: %s %s", d.ref.Name, what, said(message)), seen.Field, seen.Value)
	f.part = what
	return f
}
