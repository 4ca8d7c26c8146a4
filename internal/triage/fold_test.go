package triage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/finding"
)

func deploymentNamed(name string) finding.Object {
	return finding.Object{Group: "apps", Kind: "Deployment", Namespace: "team-payments", Name: name}
}

// What follows from what, by ids and names: "DM143 web < DM103 web" is that the first is
// found and would follow from the second.
func TestFold(t *testing.T) {
	web, api, node := deploymentNamed("web"), deploymentNamed("api"), finding.Object{Kind: "Node", Name: "node-1"}
	service := finding.Object{Kind: "Service", Namespace: "team-payments", Name: "web"}
	for name, c := range map[string]struct {
		all  []found
		want string
	}{
		"alone": {[]found{{id: "DM103", object: web}}, "DM103"},
		"a chain ends at its root": {[]found{
			{id: "DM202", object: service, after: []cause{{web, symptoms}}},
			{id: "DM143", object: web, after: afterOf(web, "DM143")},
			{id: "DM142", object: web, after: []cause{{node, nodeDown}}},
			{id: "DM502", object: node}}, "DM502[DM142 DM143 DM202]"},
		"the nearest cause counts": {[]found{
			{id: "DM143", object: web, after: []cause{{web, nil}, {node, nodeDown}}},
			{id: "DM502", object: node}, {id: "DM103", object: web}}, "DM502 DM103[DM143]"},
		"a cause of another id does not": {[]found{
			{id: "DM142", object: web, after: []cause{{node, nodeDown}}},
			{id: "DM507", object: node}}, "DM142 DM507"},
		"a symptom is no cause unless it is named": {[]found{
			{id: "DM409", object: service, after: []cause{{web, nil}}},
			{id: "DM143", object: web}}, "DM409 DM143"},
		"what hits it": {[]found{
			{id: "DM143", object: web, after: afterOf(web, "DM143")},
			{id: "DM143", object: api, after: afterOf(api, "DM143")},
			{id: "DM314", object: node, hits: []finding.Object{web, api}}}, "DM314[DM143 DM143]"},
		"each of the other": {[]found{
			{id: "DM124", object: web, after: []cause{{api, []string{"DM143"}}}},
			{id: "DM143", object: api, after: []cause{{web, []string{"DM124"}}}}}, "DM124[DM143]"},
		"worth telling only under something": {[]found{
			{id: "DM212", object: web, only: true, after: []cause{{service, []string{"DM202"}}}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			for _, r := range fold(c.all) {
				word := c.all[r.at].id
				if len(r.folded) > 0 {
					var under []string
					for _, i := range r.folded {
						under = append(under, c.all[i].id)
					}
					word += fmt.Sprint(under)
				}
				said = append(said, word)
			}
			if got := strings.Join(said, " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Whatever follows from whatever, each finding is told once.
func TestFoldTellsEachOnce(t *testing.T) {
	const n = 7
	for seed := range 3000 {
		all := make([]found, n)
		for i := range all {
			all[i] = found{id: "DM103", object: deploymentNamed(fmt.Sprint(i))}
			for next, k := seed*31+i*7, 0; k < seed%3; k++ {
				next = (next*1103515245 + 12345) & 0x7fffffff
				all[i].after = append(all[i].after, cause{deploymentNamed(fmt.Sprint(next % (n + 1))), nil})
			}
		}
		var told []int
		for _, r := range fold(all) {
			told = append(append(told, r.at), r.folded...)
		}
		slices.Sort(told)
		if !slices.Equal(told, []int{0, 1, 2, 3, 4, 5, 6}) {
			t.Fatalf("seed %d: told are %v", seed, told)
		}
	}
}

// Commands are for a shell: what could be more than a word is put into none.
func TestFill(t *testing.T) {
	for name, safe := range map[string]bool{"web": true, "web-1.x_y": true, "a=b,c=d": true, "": false, "-n": false, "a b": false, "a;b": false, "$(x)": false, "a\nb": false, "a'b": false, "größe": false, "`x`": false, "a|b": false, "a&b": false, "a>b": false, "*": false, "~": false, "{x}": false} {
		f := found{object: deploymentNamed(name)}
		text, ok := f.fill("kubectl get deployment {name} -n {ns}")
		if ok != safe || !strings.Contains(text, name) {
			t.Errorf("%q: %v, %q", name, ok, text)
		}
	}
	if _, ok := (found{}).fill("kubectl logs {pod}"); ok {
		t.Error("a place that is not filled is left in a command")
	}
}
