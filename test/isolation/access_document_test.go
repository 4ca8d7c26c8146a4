package isolation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// accessTables are the parts of docs/access.md that reviews tell.
func accessTables(rights []right, found map[string]map[string]held) string {
	var b strings.Builder
	fmt.Fprint(&b, "## In the team's own namespace\n\n")
	mine := []string{"view", "operate", "edit", "Git"}
	seen := table(&b, found, home, mine)
	fmt.Fprint(&b, "\nPeople of other teams, and of none, may do nothing of this there.\n\n"+
		"## Everywhere, and what has no namespace\n\n")
	all := append(slices.Clone(mine), "another team's edit", "no team")
	for gr := range table(&b, found, whole, all) {
		seen[gr] = true
	}
	fmt.Fprint(&b, "\nWriting a claim takes more than this right: the policy `demarc-claims` asks for `deploy`, or for `scale` where only the replicas\n"+
		"change, in the namespace of the claim's team. In another team's namespace there is nothing but what is held everywhere.\n\n"+
		"## What none of them may touch\n\nNo verb on any of these, in any namespace; subresources are named where the resource itself may be touched.\n\n")
	remainder(&b, rights, seen)
	return b.String()
}

// table writes a row for each resource of which somebody has something, and tells which
// these are.
func table(b *strings.Builder, found map[string]map[string]held, place string, who []string) map[schema.GroupResource]bool {
	verbs := map[schema.GroupResource]map[string][]string{}
	for _, name := range who {
		for r := range found[name][place] {
			if place != whole && found[name][whole][r] {
				continue // it stands in the other table
			}
			if verbs[r.resource] == nil {
				verbs[r.resource] = map[string][]string{}
			}
			verbs[r.resource][name] = append(verbs[r.resource][name], r.verb)
		}
	}
	fmt.Fprintf(b, "| resource | %s |\n|---|%s\n", strings.Join(who, " | "), strings.Repeat("---|", len(who)))
	seen := map[schema.GroupResource]bool{}
	for _, gr := range slices.SortedFunc(maps.Keys(verbs), byName) {
		seen[gr] = true
		fmt.Fprintf(b, "| `%s` |", gr)
		for _, name := range who {
			fmt.Fprintf(b, " %s |", words(verbs[gr][name]))
		}
		fmt.Fprintln(b)
	}
	return seen
}

func byName(a, b schema.GroupResource) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
}

// words says get, list and watch in one, and all that writes.
func words(verbs []string) string {
	left := slices.Sorted(slices.Values(verbs))
	var out []string
	for _, word := range []struct {
		says string
		of   []string
	}{{"read", []string{"get", "list", "watch"}}, {"write", []string{"create", "delete", "patch", "update"}}} {
		if !slices.ContainsFunc(word.of, func(v string) bool { return !slices.Contains(left, v) }) {
			out = append(out, word.says)
			left = slices.DeleteFunc(left, func(v string) bool { return slices.Contains(word.of, v) })
		}
	}
	return strings.Join(append(out, left...), ", ")
}

// remainder sums up by group what nobody has anything of.
func remainder(b *strings.Builder, rights []right, seen map[schema.GroupResource]bool) {
	groups := map[string][]string{}
	for _, r := range rights {
		parent, _, sub := strings.Cut(r.resource.Resource, "/")
		if seen[r.resource] || sub && !seen[schema.GroupResource{Group: r.resource.Group, Resource: parent}] || slices.Contains(groups[r.resource.Group], r.resource.Resource) {
			continue
		}
		groups[r.resource.Group] = append(groups[r.resource.Group], r.resource.Resource)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		name := group
		if name == "" {
			name = "core"
		}
		fmt.Fprintf(b, "- %s: %s\n", name, strings.Join(slices.Sorted(slices.Values(groups[group])), ", "))
	}
}
