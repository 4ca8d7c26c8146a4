package triage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/internal/finding"
)

// argoCD is whether what delivers runs: DM415, and DM416 where it stands still.
func argoCD(w *world) (all []found) {
	for _, wl := range w.argoWorkloads("") {
		pods := w.podsOf[wl.ref]
		if wl.replicas == 0 || w.anyReady(wl.ref) || !w.knows(podKind, wl.ref.Namespace) || !w.longWithout(pods) {
			continue
		}
		f := found{id: "DM415", object: wl.ref, message: fmt.Sprintf("no pod of %s, a part of Argo CD, is ready: nothing is delivered", words(wl.ref)), after: afterOf(wl.ref, "DM142"),
			evidence: []finding.Evidence{{Object: wl.ref, Field: "spec.template.metadata.labels", Value: pairs(wl.labels)}}}
		for _, p := range pods {
			f.after = append(f.after, cause{p.node(), nodeDown})
		}
		all = append(all, f)
	}
	return append(all, w.standsStill()...)
}

// argoWorkloads are the parts of Argo CD without which nothing is delivered; empty is all.
func (w *world) argoWorkloads(component string) (list []workload) {
	for _, namespace := range w.argoNamespaces() {
		for _, wl := range w.workloadsIn[namespace] {
			name := wl.labels["app.kubernetes.io/name"]
			if (component == "" || strings.HasSuffix(name, component)) && slices.Contains([]string{"argocd-application-controller", "argocd-repo-server", "argocd-redis"}, name) {
				list = append(list, wl)
			}
		}
	}
	return list
}

// argoNamespaces are those with Applications in them that are no team's.
func (w *world) argoNamespaces() (list []string) {
	for _, o := range w.objects[applicationKind] {
		if ns := o.GetNamespace(); !slices.Contains(list, ns) && w.teamOf(ns) == "" {
			list = append(list, ns)
		}
	}
	return list
}

func (w *world) argoParts(component string) []cause {
	causes, known := w.parts[component]
	if !known {
		for _, wl := range w.argoWorkloads(component) {
			causes = append(causes, cause{wl.ref, []string{"DM415"}})
		}
		w.parts[component] = causes
	}
	return causes
}

// standsStill says that no Application was compared for long. By default each is every few
// minutes; where Argo CD was told to wait for Git's webhooks it may take hours.
func (w *world) standsStill() []found {
	var last time.Time
	var newestOf finding.Object
	for _, o := range w.objects[applicationKind] {
		at, err := time.Parse(time.RFC3339, text(child(o.Object, "status"), "reconciledAt"))
		if err == nil && at.After(last) {
			last, newestOf = at, refOf(applicationKind, o)
		}
	}
	if last.IsZero() || w.since(last) < 6*time.Hour {
		return nil
	}
	return []found{{id: "DM416", object: finding.Object{Kind: "Namespace", Name: newestOf.Namespace}, space: newestOf.Namespace, args: map[string]string{"namespace": newestOf.Namespace},
		message:  "Argo CD has compared no application for more than six hours, so nothing that Git says is brought",
		evidence: []finding.Evidence{{Object: newestOf, Field: "status.reconciledAt", Value: last.Format(time.RFC3339), Time: last}}, after: w.argoParts("")}}
}
