package isolation

import (
	"fmt"
	"strings"
	"testing"
)

// list is a group of attacks, and the file that has them.
type list struct {
	title, file string
	all         []string
}

func byKubectl() []list {
	names := func(attacks []attack) (out []string) {
		for _, a := range attacks {
			out = append(out, a.what)
		}
		return out
	}
	return []list{
		{"Into another team's namespace", "attack_reach_test.go", names(into)},
		{"On what is the platform's or the cluster's", "attack_reach_test.go", names(platforms)},
		{"On the platform's share of the team's own namespace", "attack_share_test.go", names(share)},
		{"For more rights", "attack_rights_test.go", names(rights)},
		{"On claims, and beyond one's role", "attack_claims_test.go", names(onClaims)},
		{"By things of one's own that reach others", "attack_neighbours_test.go", append(names(neighbours), "the same in two steps")},
	}
}

func byGit() []list {
	refused := func(all ...smuggled) (out []string) {
		for _, s := range all {
			if s.refused != "" {
				out = append(out, s.what)
			}
		}
		return out
	}
	var reaching []string
	for _, r := range rendered {
		if r.reason != "Running" {
			reaching = append(reaching, r.what)
		}
	}
	for _, s := range sources {
		reaching = append(reaching, s.what)
	}
	return []list{
		{"Kinds and namespaces that are not a team's", "git_kinds_test.go", refused(strangers()...)},
		{"Rights", "git_writes_test.go", refused(gitRights...)},
		{"The platform's share of the namespace, by its names", "git_writes_test.go", refused(gitShare...)},
		{"Pods, Secrets and Services", "git_writes_test.go", refused(gitPods...)},
		{"Claims", "git_claims_test.go", refused(gitClaims...)},
		{"Sources, and what is rendered from them", "git_render_test.go", reaching},
	}
}

// TestAttacksAreListed counts them, and writes them into the document.
func TestAttacksAreListed(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	people := write(&b, "By kubectl, as a user of a team", byKubectl())
	git := write(&b, "By Git, each in a commit that Argo CD syncs", byGit())
	if people < 40 || git < 40 {
		t.Errorf("%d attacks by people and %d by Git, want at least 40 of each", people, git)
	}
	section(t, "isolation.md", "attacks", b.String())
}

func write(b *strings.Builder, title string, lists []list) int {
	sum := 0
	for _, l := range lists {
		sum += len(l.all)
	}
	fmt.Fprintf(b, "### %s: %d\n\n", title, sum)
	for _, l := range lists {
		fmt.Fprintf(b, "- **%s** (%d, [%s](../test/isolation/%s)): %s.\n", l.title, len(l.all), l.file, l.file, strings.Join(l.all, "; "))
	}
	fmt.Fprintln(b)
	return sum
}
