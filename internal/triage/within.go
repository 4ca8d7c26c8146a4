package triage

import (
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// Within keeps of a report what is about these namespaces, or keeps something in them from
// working; others is how many findings are not. No namespaces are all.
func (r Report) Within(namespaces []string) (kept Report, others int) {
	if len(namespaces) == 0 {
		return r, 0
	}
	kept = Report{Contract: r.Contract, Unread: r.Unread, Findings: []finding.Finding{}}
	for _, f := range r.Findings {
		folded := slices.DeleteFunc(slices.Clone(f.Folded), func(g finding.Finding) bool { return !within(g, namespaces) })
		if len(folded) == 0 && !within(f, namespaces) {
			others++
			continue
		}
		f.Folded = folded
		kept.Findings = append(kept.Findings, f)
	}
	return kept, others
}

func within(f finding.Finding, namespaces []string) bool {
	in := func(o finding.Object) bool { return slices.Contains(namespaces, o.Namespace) }
	return in(f.Object) || f.Team != "" && slices.Contains(namespaces, v1alpha1.NamespaceOf(f.Team)) || slices.ContainsFunc(f.Affects, in)
}

// Unknown is what was not read and could have shown more of these namespaces. That who asks
// may not look beyond them is told, and is none of it: what is wrong there and matters shows
// in them. Nor is that Secrets may not be listed, which few may: that one is missing the kubelet
// says. No namespaces are all.
func (r Report) Unknown(namespaces []string) (list []snapshot.Unread) {
	for _, u := range r.Unread {
		if u.GroupKind() == secretKind && u.Why == "" {
			continue
		}
		beyond := u.Namespace == "" && (u.Why == "" || u.NotAsked()) || u.Namespace != "" && !slices.Contains(namespaces, u.Namespace)
		if len(namespaces) == 0 || !beyond {
			list = append(list, u)
		}
	}
	return list
}

// Counts says whether something is to be done about any of the findings.
func (r Report) Counts() bool { return slices.ContainsFunc(r.Findings, finding.Finding.Counts) }
