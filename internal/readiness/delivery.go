package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/subset"
)

const notCompared = "Argo CD has not yet compared the cluster with this spec"

// delivery asks whether the Application carries this spec and Argo CD has brought
// it. What is said of another spec than the one asked for does not count:
//
//	written → compared (to this spec) → no error → no sync running or failed → Synced
func (c Claim) delivery(tenant metav1.Condition) metav1.Condition {
	switch {
	case c.Trouble != nil:
		return no(DeliveryReady, c.Trouble.Reason, c.Trouble.Message)
	case !c.ArgoCD:
		return no(DeliveryReady, "ArgoCDAbsent", "Argo CD's CRDs are not installed, so nothing can be delivered")
	case c.ApplicationGoing:
		return no(DeliveryReady, "ApplicationTerminating", "the Application is being deleted")
	case c.Application == nil && tenant.Status != metav1.ConditionTrue:
		return no(DeliveryReady, "WaitingForTenant", "nothing is delivered before the Tenant is ready")
	case c.Application != nil && c.unchangeable() && !carries(c.Desired, c.Application):
		return no(DeliveryReady, "WaitingForTenant", "what runs is left as it is; a change waits for the Tenant")
	case c.Application == nil:
		return no(DeliveryReady, "WaitingForArgoCD", notCompared)
	}
	if failed := applicationError(c.Application); failed != nil {
		return *failed
	}
	if !comparedTo(c.Desired, c.Application) {
		return no(DeliveryReady, "WaitingForArgoCD", notCompared)
	}
	return synced(c.Application)
}

// unchangeable says that there is no Tenant to change anything for.
func (c Claim) unchangeable() bool { return c.Tenant == nil || c.Tenant.DeletionTimestamp != nil }

// carries reports whether the Application asks for this spec.
func carries(desired *unstructured.Unstructured, app *argocd.Application) bool {
	if desired == nil {
		return false
	}
	source, _, _ := unstructured.NestedMap(desired.Object, "spec", "source")
	return subset.Within(source, app.Spec.Source)
}

// applicationError reads Argo CD's own conditions; those that end in Error stop
// it. Their order is Argo CD's and not fixed: the first by name speaks.
func applicationError(app *argocd.Application) *metav1.Condition {
	conditions := slices.SortedFunc(slices.Values(app.Status.Conditions), func(a, b argocd.Condition) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Message, b.Message))
	})
	for _, cond := range conditions {
		if !strings.HasSuffix(cond.Type, "Error") {
			continue
		}
		out := no(DeliveryReady, errorReason(cond), "Argo CD says "+cond.Type+": "+cond.Message)
		return &out
	}
	return nil
}

// errorReason tells a repository that cannot be read from manifests that cannot
// be rendered: other people act on each.
func errorReason(cond argocd.Condition) string {
	switch cond.Type {
	case "SyncError":
		return "SyncFailed"
	case "InvalidSpecError":
		return "ApplicationInvalid"
	}
	message := strings.ToLower(cond.Message)
	for _, sign := range []string{
		"repository not found", "authentication required", "authorization failed", "unable to resolve",
		"failed to list refs", "failed to checkout", "failed to fetch", "failed to initialize repository",
		"could not read from remote", "does not appear to be a git repository", "repository not accessible",
		"dial tcp", "no such host", "connection refused", "app path does not exist",
	} {
		if strings.Contains(message, sign) {
			return "RepositoryError"
		}
	}
	return "RenderFailed"
}

// comparedTo reports whether Argo CD's last comparison was with this spec.
func comparedTo(desired *unstructured.Unstructured, app *argocd.Application) bool {
	if desired == nil {
		return false
	}
	source, _, _ := unstructured.NestedMap(desired.Object, "spec", "source")
	destination, _, _ := unstructured.NestedMap(desired.Object, "spec", "destination")
	compared := app.Status.Sync.ComparedTo
	// Both ways: a value that is gone from the spec must be gone from there too.
	return subset.Within(source, compared.Source) && subset.Within(compared.Source, source) &&
		subset.Within(destination, compared.Destination)
}

// synced reads the last operation and the sync status. A finished operation counts
// against the claim only for the revision that is current: Argo CD does not start
// one for a commit that changes nothing here, so the revisions may differ for good.
func synced(app *argocd.Application) metav1.Condition {
	sync, op := app.Status.Sync, app.Status.OperationState
	if op != nil {
		if found := operation(op, sync.Revision, sync.Status); found != nil {
			return *found
		}
	}
	switch sync.Status {
	case "Synced":
		return yes(DeliveryReady, "Delivered", "Argo CD has delivered this spec")
	case "OutOfSync":
		// Right after a sync the comparison from before it still stands. The times
		// are RFC 3339 in UTC and so compare as text.
		if op != nil && op.Phase == "Succeeded" && app.Status.ReconciledAt > op.FinishedAt {
			return no(DeliveryReady, "OutOfSync", "the live objects differ from what was delivered: "+outOfSync(app))
		}
		return no(DeliveryReady, "Syncing", "Argo CD is delivering it")
	default:
		return no(DeliveryReady, "WaitingForArgoCD", "Argo CD does not know yet how the cluster compares with this spec")
	}
}

// operation is the last sync, where it is still running or failed for this revision.
func operation(op *argocd.Operation, revision, status string) *metav1.Condition {
	current := op.SyncResult.Revision == "" || op.SyncResult.Revision == revision
	switch op.Phase {
	case "Running":
		if retrying(op) {
			return because(no(DeliveryReady, "SyncFailed", "Argo CD is retrying a sync that failed: "+syncWords(op)))
		}
		return because(no(DeliveryReady, "Syncing", "Argo CD is delivering it"))
	case "Terminating":
		return because(no(DeliveryReady, "Syncing", "Argo CD is ending a sync"))
	case "Failed", "Error":
		if current && status != "Synced" {
			return because(no(DeliveryReady, "SyncFailed", "Argo CD could not deliver it: "+syncWords(op)))
		}
	}
	return nil
}

func retrying(op *argocd.Operation) bool {
	return strings.Contains(op.Message, "Retrying attempt") || strings.Contains(op.Message, "will retry")
}

// syncWords prefers what was said of a single object to the summary.
func syncWords(op *argocd.Operation) string {
	for _, r := range op.SyncResult.Resources {
		if r.Status == "SyncFailed" && r.Message != "" {
			return fmt.Sprintf("%s/%s: %s", strings.ToLower(r.Kind), r.Name, r.Message)
		}
	}
	return op.Message
}

func outOfSync(app *argocd.Application) string {
	var names []string
	for _, r := range app.Status.Resources {
		if r.Status == "OutOfSync" {
			names = append(names, strings.ToLower(r.Kind)+"/"+r.Name)
		}
	}
	if len(names) == 0 {
		return "Argo CD names no object"
	}
	return strings.Join(names, ", ")
}
