package triage

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"demarc.dev/demarc/internal/finding"
)

// budgets are PodDisruptionBudgets: DM126 to DM128, and DM151.
func budgets(w *world) (all []found) {
	covers := map[finding.Object][]string{}
	for _, b := range w.budgets {
		if b.DeletionTimestamp != nil {
			continue
		}
		ref := refOf(budgetKind, b)
		if f := w.budget(b, ref); f != nil {
			all = append(all, *f)
		}
		for _, p := range w.covered(b) {
			covers[p.ref] = append(covers[p.ref], b.Name)
		}
	}
	for _, p := range w.pods {
		if list := covers[p.ref]; len(list) > 1 {
			all = append(all, p.of("DM127", fmt.Sprintf("pods of %s are of more than one disruption budget, %s, so none of them can be evicted", words(p.top), joined(list)),
				p.seen("metadata.labels", "selected by "+joined(list), time.Time{})))
		}
	}
	return all
}

func (w *world) covered(b *policyv1.PodDisruptionBudget) (list []*pod) {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		return nil
	}
	var must map[string]string
	if b.Spec.Selector != nil {
		must = b.Spec.Selector.MatchLabels
	}
	for _, p := range w.carrying(b.Namespace, must) {
		if p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed && selector.Matches(labels.Set(p.Labels)) {
			list = append(list, p)
		}
	}
	return list
}

func (w *world) budget(b *policyv1.PodDisruptionBudget, ref finding.Object) *found {
	seen := finding.Evidence{Object: ref, Field: "status", Value: fmt.Sprintf("%d healthy, %d wanted, %d expected, %d may go", b.Status.CurrentHealthy, b.Status.DesiredHealthy, b.Status.ExpectedPods, b.Status.DisruptionsAllowed)}
	f := &found{object: ref, evidence: []finding.Evidence{seen}}
	c := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	switch {
	case c != nil && c.Reason == policyv1.SyncFailedReason && w.settled(c.LastTransitionTime.Time):
		f.id, f.message = "DM128", fmt.Sprintf("the disruption budget %s cannot be reckoned with: %s", b.Name, said(c.Message))
		f.evidence = []finding.Evidence{{Object: ref, Field: "status.conditions[DisruptionAllowed]", Value: said(c.Reason + ": " + c.Message), Time: c.LastTransitionTime.Time}}
	case b.Status.ExpectedPods == 0 && w.still(budgetKind, b) && b.Status.ObservedGeneration >= b.Generation && w.selectsNothing(b):
		f.id, f.message = "DM151", fmt.Sprintf("the disruption budget %s selects no pods, so it protects nothing", b.Name)
	case b.Status.ExpectedPods > 0 && b.Status.DesiredHealthy >= b.Status.ExpectedPods && b.Status.ObservedGeneration >= b.Generation:
		f.id, f.message = "DM126", fmt.Sprintf("the disruption budget %s never lets a pod go: it wants all of them healthy, so nodes cannot be drained", b.Name)
		if e := w.refusedEviction(b); e != nil {
			f.severity, f.evidence = finding.Error, append(f.evidence, *e)
			f.message += "; one waits for it now"
		}
	default:
		return nil
	}
	return f
}

// refusedEviction is a cordoned node with pods of the budget on it: somebody drains it.
func (w *world) refusedEviction(b *policyv1.PodDisruptionBudget) *finding.Evidence {
	for _, p := range w.covered(b) {
		if n := w.node(p.Spec.NodeName); n != nil {
			if at, cordoned := cordonedAt(n); cordoned && w.settled(at) {
				return &finding.Evidence{Object: p.ref, Field: "spec.nodeName", Value: n.Name + ", which is cordoned", Time: at}
			}
		}
	}
	return nil
}

// selectsNothing says that no workload makes pods that the budget selects. One that is
// scaled to zero has its budget still.
func (w *world) selectsNothing(b *policyv1.PodDisruptionBudget) bool {
	if !w.knows(podKind, b.Namespace) || !w.knowsWorkloads(b.Namespace) || len(w.covered(b)) > 0 {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		return false
	}
	for _, wl := range w.workloadsIn[b.Namespace] {
		if selector.Matches(labels.Set(wl.labels)) {
			return false
		}
	}
	return true
}
