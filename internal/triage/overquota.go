package triage

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"demarc.dev/demarc/internal/finding"
)

// overQuota tells a pod that is larger than the whole quota from a quota that is used up. A
// rollout that frees room by itself is no trouble.
func (w *world) overQuota(r refusal, m []string) []found {
	if over := above(m[2], m[4]); over != "" {
		f := r.of("DM315", "")
		f.message = fmt.Sprintf("one pod of %s asks for more than the whole quota %s (%s)", words(r.top), m[1], over)
		return []found{f}
	}
	if w.makesRoom(r.top) {
		return nil
	}
	quota := finding.Object{Kind: "ResourceQuota", Namespace: cmp.Or(r.space, r.top.Namespace), Name: m[1]}
	f := r.of("DM314", "")
	f.object, f.hits = quota, []finding.Object{r.top}
	f.message = fmt.Sprintf("the quota %s of %s is used up, and %s waits", m[1], quota.Namespace, words(r.top)) // how full it is stands in the evidence
	f.evidence = append(f.evidence, finding.Evidence{Object: quota, Field: "used / hard", Value: m[3] + " / " + m[4]})
	f.evidence = append(f.evidence, w.defaulted(r.top)...)
	waits := found{id: "DM144", object: r.top, message: fmt.Sprintf("%s lacks pods that the quota %s refuses", words(r.top), m[1]), evidence: []finding.Evidence{r.seen},
		after: []cause{{quota, []string{"DM314"}}}}
	return []found{f, waits}
}

// above names a resource of which more is requested than there may be at all.
func above(requested, limited string) string {
	most := map[string]resource.Quantity{}
	for _, part := range strings.Split(limited, ",") {
		name, value, _ := strings.Cut(part, "=")
		if q, err := resource.ParseQuantity(value); err == nil {
			most[name] = q
		}
	}
	for _, part := range strings.Split(requested, ",") {
		name, value, _ := strings.Cut(part, "=")
		q, err := resource.ParseQuantity(value)
		if limit, known := most[name]; known && err == nil && q.Cmp(limit) > 0 {
			return fmt.Sprintf("%s %s of %s", name, value, limit.String())
		}
	}
	return ""
}

// makesRoom says that a rollout takes old pods down first, and goes on in the room they leave.
func (w *world) makesRoom(top finding.Object) bool {
	if w.rolls == nil {
		w.rolls = map[finding.Object]*appsv1.Deployment{}
		for _, d := range w.deployments {
			w.rolls[refOf(deploymentKind, d)] = d
		}
	}
	d := w.rolls[top]
	if d == nil {
		return false
	}
	p := deploymentCondition(d, appsv1.DeploymentProgressing)
	return d.Status.Replicas > d.Status.UpdatedReplicas && mayTakeDown(d) && (p == nil || p.Reason != "ProgressDeadlineExceeded")
}

// defaulted says where requests come from the LimitRange, since the workload says none: one
// with only a max makes that the request.
func (w *world) defaulted(top finding.Object) (list []finding.Evidence) {
	wl := w.workload(top)
	if wl == nil {
		return nil
	}
	for _, c := range wl.spec.Containers {
		if len(c.Resources.Requests) > 0 || len(c.Resources.Limits) > 0 {
			return nil
		}
	}
	for _, o := range w.objects[limitRangeKind] {
		if o.GetNamespace() == top.Namespace {
			list = append(list, finding.Evidence{Object: refOf(limitRangeKind, o), Field: "spec.limits",
				Value: words(top) + " says no requests, so they are what the LimitRange gives", Time: time.Time{}})
		}
	}
	return list
}
