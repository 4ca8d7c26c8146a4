package triage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// byNodes are findings that take the nodes to be told; without them DM312 is said, or less is
// known of DM302 and DM142.
var byNodes = []string{"DM301", "DM302", "DM303", "DM304", "DM305", "DM309", "DM501", "DM502", "DM503", "DM504", "DM505", "DM506", "DM516"}

// lesser are findings that tell of the same as one that was heard of, and know less.
var lesser = []string{"DM142", "DM302", "DM312", "DM409"}

// groupOf the kinds that such findings are about.
var groupOf = map[string]string{"Node": "", "Cluster": "", "Application": applicationKind.Group, "Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps", "Job": "batch", "CronJob": "batch"}

// heard adds what the operator found of claims, and wrote into their status, where it is told
// by what was not read here: nodes, and the Applications of Argo CD, which teams may not read.
func heard(w *world, all []found) []found {
	if w.own {
		return all // it would hear itself, and never be done
	}
	for _, o := range w.objects[claimKind] {
		claim, err := snapshot.Into[v1alpha1.ServiceClaim](o)
		if err != nil || claim.DeletionTimestamp != nil {
			continue // what it says of itself is told all the same
		}
		for _, said := range claim.Status.Findings {
			about, ok := w.hidden(said)
			if !ok {
				continue
			}
			f := hear(claim, said, about)
			for i := range all {
				if g := &all[i]; slices.Contains(lesser, g.id) && g.id != f.id && tellsOfSame(*g, f) {
					g.after = append([]cause{{about, []string{f.id}}}, g.after...)
				}
			}
			all = append(all, f)
		}
	}
	return all
}

// hidden is what a finding of the operator's is about, where that could not be told here.
func (w *world) hidden(said v1alpha1.ClaimFinding) (finding.Object, bool) {
	kind, rest, _ := strings.Cut(said.Object, "/")
	name, namespace, _ := strings.Cut(rest, " in ")
	group, known := groupOf[kind]
	about := finding.Object{Group: group, Kind: kind, Namespace: namespace, Name: name}
	switch {
	case !known || name == "" || Of(said.ID).ID == "":
		return about, false
	case kind == applicationKind.Kind:
		_, refused := w.set.Missed(applicationKind, namespace, name)
		return about, w.set.Get(applicationKind, namespace, name) == nil && (refused || !w.knows(applicationKind, namespace))
	}
	return about, slices.Contains(byNodes, said.ID) && len(w.nodes) == 0 && !w.knows(nodeKind, "")
}

// hear makes a finding of the operator's word.
func hear(claim *v1alpha1.ServiceClaim, said v1alpha1.ClaimFinding, about finding.Object) found {
	of := finding.Object{Group: claimKind.Group, Kind: claimKind.Kind, Name: claim.Name}
	f := found{id: said.ID, object: about, hits: []finding.Object{of}, space: v1alpha1.NamespaceOf(claim.Spec.Team), args: map[string]string{},
		severity: finding.Severity(said.Severity), party: said.Owner, message: Of(said.ID).Title,
		next:     fmt.Sprintf("see %s: what it is about could not be read here", Docs(said.ID)),
		because:  "the operator found it, and says in the status of claim " + claim.Name + " whose it is; what it is about could not be read here",
		evidence: []finding.Evidence{{Object: of, Field: "status.findings", Value: fmt.Sprintf("%s of %s, for the %s", said.ID, said.Object, said.Owner)}}}
	if c := meta.FindStatusCondition(claim.Status.Conditions, "Diagnosed"); c != nil && c.Reason == said.ID {
		message, next, _ := strings.Cut(c.Message, ". Next, ")
		_, step, _ := strings.Cut(next, ": ")
		step, _, _ = strings.Cut(step, ". ")
		f.message, f.next = strings.TrimSuffix(message, "."), cmp.Or(strings.TrimSuffix(step, "."), f.next)
		f.evidence[0].Time = c.LastTransitionTime.Time
	}
	return f
}

// tellsOfSame says that a finding is about what another is about or hits, or about the pods on
// that node.
func tellsOfSame(g, f found) bool {
	return g.object == f.object || slices.Contains(g.hits, f.object) || slices.Contains(f.hits, g.object) || f.object.Kind == "Node" && g.part == f.object.Name
}
