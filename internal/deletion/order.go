package deletion

import (
	"cmp"
	"slices"
)

// rootsFirst sorts blockers so that each comes after those it waits for; among equals
// the one that holds the longest comes first.
func rootsFirst(blockers []Blocker) []Blocker {
	waits := map[string][]string{}
	for _, b := range blockers {
		waits[b.Object.String()] = append(waits[b.Object.String()], b.WaitsFor...)
	}
	depths := map[string]int{}
	slices.SortStableFunc(blockers, func(a, b Blocker) int {
		return cmp.Or(
			cmp.Compare(depth(a, waits, depths), depth(b, waits, depths)),
			compareSince(a, b)) // and then in the order of the drain, in which they were found
	})
	return blockers
}

// depth is the length of the longest way from a blocker to a root. One that waits for
// nothing is a root, whatever else holds the same object.
func depth(b Blocker, waits map[string][]string, depths map[string]int) int {
	deepest := 0
	for _, w := range b.WaitsFor {
		deepest = max(deepest, 1+depthOf(w, waits, depths))
	}
	return deepest
}

func depthOf(name string, waits map[string][]string, depths map[string]int) int {
	if d, known := depths[name]; known {
		return d
	}
	depths[name] = 0 // two that wait for each other come to an end here
	deepest := 0
	for _, w := range waits[name] {
		deepest = max(deepest, 1+depthOf(w, waits, depths))
	}
	depths[name] = deepest
	return deepest
}

func compareSince(a, b Blocker) int {
	switch {
	case a.Since == nil && b.Since == nil:
		return 0
	case a.Since == nil:
		return 1
	case b.Since == nil:
		return -1
	default:
		return a.Since.Compare(*b.Since)
	}
}

func compareText(a, b string) int { return cmp.Compare(a, b) }
