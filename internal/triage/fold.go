package triage

import (
	"cmp"
	"slices"

	"demarc.dev/demarc/internal/finding"
)

// root is a finding that follows from none, with those that follow from it; they are
// places in the list that was folded.
type root struct {
	at     int
	folded []int
}

// fold puts each finding under the one that it follows from in the end.
//
//	Ingress ──after──▶ Service ──after──▶ Deployment ──after──▶ Node    one root: the Node
func fold(all []found) []root {
	byObject := map[finding.Object][]int{}
	for i, f := range all {
		for _, o := range append([]finding.Object{f.object}, f.hits...) {
			byObject[o] = append(byObject[o], i)
		}
	}
	parent := make([]int, len(all))
	for i, f := range all {
		parent[i] = follows(all, byObject, i, f)
	}
	under := map[int][]int{}
	for i := range all {
		top := topOf(parent, i)
		if top != i {
			under[top] = append(under[top], i)
		}
	}
	var roots []root
	for i := range all {
		if topOf(parent, i) == i && !all[i].only {
			folded := under[i]
			slices.SortStableFunc(folded, func(a, b int) int {
				return cmp.Or(cmp.Compare(all[a].id, all[b].id), compareObjects(all[a].object, all[b].object), cmp.Compare(all[a].part, all[b].part))
			})
			roots = append(roots, root{i, folded})
		}
	}
	return roots
}

// follows is the finding that another follows from: the first of its causes that was found.
// Itself where there is none.
func follows(all []found, byObject map[finding.Object][]int, i int, f found) int {
	for _, c := range f.after {
		for _, j := range byObject[c.object] {
			if j != i && c.fits(all[j]) { // byObject has those of the object
				return j
			}
		}
	}
	return i
}

// topOf goes up to the end. Of findings that would follow from each other the first is the top.
func topOf(parent []int, i int) int {
	seen := []int{i}
	for parent[i] != i {
		i = parent[i]
		if at := slices.Index(seen, i); at >= 0 {
			return slices.Min(seen[at:])
		}
		seen = append(seen, i)
	}
	return i
}
