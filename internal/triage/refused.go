package triage

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/finding"
)

// refusal is what the API server says when it takes no pod of a workload.
type refusal struct {
	top finding.Object
	// what is refused, in words.
	what    string
	message string
	seen    finding.Evidence
	// space is the namespace where it is refused, where that is not the top's.
	space string
}

// refusals are pods that never came to be. What says so must be so still: a controller that
// has all its pods is refused nothing.
func refusals(w *world) (all []found) {
	for _, r := range w.replicaSets {
		c := replicaSetCondition(r, appsv1.ReplicaSetReplicaFailure)
		if c == nil || c.Status != corev1.ConditionTrue || c.Reason != "FailedCreate" || r.Status.Replicas >= ptr.Deref(r.Spec.Replicas, 1) {
			continue
		}
		ref := refOf(replicaSetKind, r)
		top := w.topOwner(ref, r)
		seen := finding.Evidence{Object: ref, Field: "status.conditions[ReplicaFailure]", Value: said(c.Reason + ": " + c.Message), Time: c.LastTransitionTime.Time}
		all = append(all, w.refused(refusal{top: top, what: "pods of " + words(top), message: c.Message, seen: seen})...)
	}
	for _, s := range w.statefulSets {
		if s.Status.Replicas < ptr.Deref(s.Spec.Replicas, 1) {
			all = append(all, w.refusedByEvent(statefulSetKind, s)...)
		}
	}
	for _, d := range w.daemonSets {
		if d.Status.CurrentNumberScheduled < d.Status.DesiredNumberScheduled {
			all = append(all, w.refusedByEvent(daemonSetKind, d)...)
		}
	}
	for _, j := range w.jobs {
		if j.Status.Active == 0 && j.Status.CompletionTime == nil && !jobOver(j) && !ptr.Deref(j.Spec.Suspend, false) {
			all = append(all, w.refusedByEvent(jobKind, j)...)
		}
	}
	return all
}

func (w *world) refusedByEvent(kind schema.GroupKind, o metav1.Object) []found {
	ref := refOf(kind, o)
	e, ok := w.lately(ref, string(o.GetUID()), because("FailedCreate"))
	if !ok {
		return nil
	}
	top := w.topOwner(ref, o)
	for _, p := range w.podsOf[top] {
		if p.CreationTimestamp.After(e.at) {
			return nil // it was let in since
		}
	}
	return w.refused(refusal{top: top, what: "pods of " + words(top), message: e.message, seen: e.evidence()})
}

func replicaSetCondition(r *appsv1.ReplicaSet, kind appsv1.ReplicaSetConditionType) *appsv1.ReplicaSetCondition {
	if i := slices.IndexFunc(r.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool { return c.Type == kind }); i >= 0 {
		return &r.Status.Conditions[i]
	}
	return nil
}

func (r refusal) of(id, message string) found {
	return found{id: id, object: r.top, message: message + ": " + said(r.message), evidence: []finding.Evidence{r.seen}, args: map[string]string{}}
}

// refused sorts a refusal: what the cluster cannot do comes before what it does not allow.
func (w *world) refused(r refusal) []found {
	who, says := r.what, own(r.message)
	if list := w.cannotJudge(r, says); list != nil {
		return list
	}
	if m := quotaExceeded.FindStringSubmatch(says); m != nil {
		return w.overQuota(r, m)
	}
	switch {
	case quotaFailed.MatchString(says):
		return []found{r.of("DM316", "the quota wants "+words(r.top)+" to say what it needs, and it does not")}
	case podSecurity.MatchString(says):
		return []found{r.of("DM407", "the namespace's Pod Security level does not take "+who)}
	case limited.MatchString(says):
		return []found{r.of("DM317", who+" are outside of what the LimitRange allows")}
	case has(says, "must be less than or equal to") && has(says, "limit"):
		return []found{r.of("DM318", who+" ask for more than their limit, which may be the default of the LimitRange")}
	}
	if m := policyDenied.FindStringSubmatch(says); m != nil {
		f := r.of("DM405", fmt.Sprintf("policy %s does not take %s", m[1], who))
		f.part, f.args["policy"] = m[1], m[1]
		if rule, ours := strings.CutPrefix(m[1], "demarc-rule-"); ours {
			f.args["rule"] = rule
		} else {
			f.next = "comply with " + m[1] + ", or ask who keeps it"
		}
		return []found{f}
	}
	if m := webhookDenied.FindStringSubmatch(says); m != nil {
		f := r.of("DM406", fmt.Sprintf("admission webhook %s does not take %s", m[1], who))
		f.part, f.args["webhook"] = m[1], m[1]
		return []found{f}
	}
	if m := accountGone.FindStringSubmatch(says); m != nil {
		f := r.of("DM135", fmt.Sprintf("the ServiceAccount %s of %s is not there", m[2], words(r.top)))
		f.args["account"] = m[2]
		return []found{f}
	}
	if m := priorityGone.FindStringSubmatch(says); m != nil {
		f := r.of("DM332", fmt.Sprintf("the PriorityClass %s of %s is not there", m[1], words(r.top)))
		f.args["class"] = m[1]
		return []found{f}
	}
	return []found{r.of("DM136", "the API server does not take "+who)}
}

// cannotJudge are policies and webhooks that refuse because they do not work.
func (w *world) cannotJudge(r refusal, says string) []found {
	if m := webhookFailed.FindStringSubmatch(says); m != nil {
		f := r.of("DM510", fmt.Sprintf("admission webhook %s does not answer, so that nothing passes it", m[1]))
		f.object, f.hits, f.args["webhook"] = finding.Object{Kind: "Webhook", Name: m[1]}, []finding.Object{r.top}, m[1]
		f.after = w.configurationOf(m[1])
		return []found{f}
	}
	m := policyDenied.FindStringSubmatch(says)
	if m == nil || !notJudged.MatchString(m[3]) {
		return nil
	}
	f := r.of("DM511", fmt.Sprintf("policy %s cannot be evaluated, so that nothing passes it", m[1]))
	f.object, f.hits = finding.Object{Group: policyKind.Group, Kind: policyKind.Kind, Name: m[1]}, []finding.Object{r.top}
	return []found{f}
}
