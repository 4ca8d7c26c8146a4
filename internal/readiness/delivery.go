package readiness

import (
	"cmp"
	"maps"
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
	// An Application that is no valid one is not compared at all.
	if failed := c.applicationError("InvalidSpecError", "UnknownError"); failed != nil {
		return *failed
	}
	if !comparedTo(c.Desired, c.Application) {
		return no(DeliveryReady, "WaitingForArgoCD", notCompared)
	}
	if failed := c.applicationError(); failed != nil {
		return *failed
	}
	return c.synced()
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

// applicationError reads Argo CD's own conditions of these types, or all that end in
// Error. Their order is Argo CD's and not fixed: the first by name speaks.
func (c Claim) applicationError(types ...string) *metav1.Condition {
	conditions := slices.SortedFunc(slices.Values(c.Application.Status.Conditions), func(a, b argocd.Condition) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Message, b.Message))
	})
	for _, cond := range conditions {
		if len(types) == 0 && strings.HasSuffix(cond.Type, "Error") || slices.Contains(types, cond.Type) {
			return because(no(DeliveryReady, c.errorReason(cond), "Argo CD says "+cond.Type+": "+cond.Message))
		}
	}
	return nil
}

// errorReason tells a repository that cannot be read from manifests that cannot
// be rendered, and the platform's chart from a team's source: other people act on each.
func (c Claim) errorReason(cond argocd.Condition) string {
	message, sourced := strings.ToLower(cond.Message), c.Claim.Spec.Source != nil
	switch {
	case cond.Type == "SyncError":
		return "SyncRetrying"
	case cond.Type == "InvalidSpecError" && sourced && strings.Contains(message, "not permitted in project"):
		return "SourceNotAllowed"
	case cond.Type == "InvalidSpecError":
		return "ApplicationInvalid"
	case sourced && containsAny(message, "app path does not exist", "unable to resolve", "couldn't find remote ref"):
		return "SourceNotFound"
	// What it refers to cannot be had, and that is written in the team's manifests.
	case sourced && containsAny(message, "kustomize build", "helm template", "helm dependency build"):
		return "RenderFailed"
	case containsAny(message, "repository not found", "authentication required", "authorization failed", "unable to resolve",
		"failed to list refs", "failed to checkout", "failed to fetch", "failed to initialize repository",
		"could not read from remote", "does not appear to be a git repository", "repository not accessible",
		"dial tcp", "no such host", "connection refused", "app path does not exist"):
		return "RepositoryError"
	default:
		return "RenderFailed"
	}
}

func containsAny(message string, signs ...string) bool {
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(message, sign) })
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
// against the claim only for the source and revision that are current: Argo CD does
// not start one for a commit that changes nothing here, so revisions may differ for good.
func (c Claim) synced() metav1.Condition {
	app := c.Application
	sync, op := app.Status.Sync, app.Status.OperationState
	if op != nil {
		if found := c.operation(op); found != nil {
			return *found
		}
	}
	switch sync.Status {
	case "Synced":
		return yes(DeliveryReady, "Delivered", "Argo CD has delivered this spec")
	case "OutOfSync":
		// Right after a sync the comparison from before it still stands. The times
		// are RFC 3339 in UTC and so compare as text.
		if op != nil && op.Phase == "Succeeded" && app.Status.ReconciledAt > op.FinishedAt && len(app.Operation) == 0 {
			return no(DeliveryReady, "OutOfSync", "the live objects differ from what was delivered: "+outOfSync(app))
		}
		return no(DeliveryReady, "Syncing", "Argo CD is delivering it")
	default:
		return no(DeliveryReady, "WaitingForArgoCD", "Argo CD does not know yet how the cluster compares with this spec")
	}
}

// operation is the last sync, where it is still running or failed for this spec.
func (c Claim) operation(op *argocd.Operation) *metav1.Condition {
	sync := c.Application.Status.Sync
	revision := op.SyncResult.Revision == "" || op.SyncResult.Revision == sync.Revision
	source := len(op.SyncResult.Source) == 0 || subset.Within(op.SyncResult.Source, sync.ComparedTo.Source) && subset.Within(sync.ComparedTo.Source, op.SyncResult.Source)
	switch op.Phase {
	case "Running":
		if op.RetryCount > 0 || strings.Contains(op.Message, "Retrying attempt") {
			return because(c.retrying(op))
		}
		if what, waits := strings.CutPrefix(op.Message, "waiting for completion of hook "); waits {
			return because(no(DeliveryReady, "WaitingForHook", "Argo CD waits for the hook "+what+" before it goes on"))
		}
		return because(no(DeliveryReady, "Syncing", "Argo CD is delivering it"))
	case "Terminating":
		return because(no(DeliveryReady, "Syncing", "Argo CD is ending a sync"))
	case "Failed", "Error":
		if revision && source && sync.Status != "Synced" && len(c.Application.Operation) == 0 {
			return because(no(DeliveryReady, "SyncFailed", "Argo CD could not deliver it: "+syncWords(op)))
		}
	}
	return nil
}

// retrying keeps the words of the attempt that failed while the next one runs.
func (c Claim) retrying(op *argocd.Operation) metav1.Condition {
	now := no(DeliveryReady, "SyncRetrying", "Argo CD tries again what it could not deliver: "+syncWords(op))
	if failed := syncFailure(op); failed == "" && !strings.Contains(op.Message, "Retrying attempt") {
		return c.sameWords(now)
	}
	return now
}

// syncWords prefers what was said of a single object to the summary.
func syncWords(op *argocd.Operation) string {
	if failed := syncFailure(op); failed != "" {
		return failed
	}
	return op.Message
}

// syncFailure gives the words of the first object that failed and names the others.
// Argo CD lists them in another order at each attempt.
func syncFailure(op *argocd.Operation) string {
	words := map[string]string{}
	for _, r := range op.SyncResult.Resources {
		if r.Status == "SyncFailed" && r.Message != "" {
			words[strings.ToLower(r.Kind)+"/"+r.Name] = r.Message
		}
	}
	failed := slices.Sorted(maps.Keys(words))
	switch len(failed) {
	case 0:
		return ""
	case 1:
		return failed[0] + ": " + words[failed[0]]
	default:
		return failed[0] + ": " + words[failed[0]] + "; failed too: " + names(failed[1:])
	}
}

func outOfSync(app *argocd.Application) string {
	var differ []string
	for _, r := range app.Status.Resources {
		if r.Status == "OutOfSync" {
			differ = append(differ, strings.ToLower(r.Kind)+"/"+r.Name)
		}
	}
	if len(differ) == 0 {
		return "Argo CD names no object"
	}
	slices.Sort(differ)
	return names(differ)
}
