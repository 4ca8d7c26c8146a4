// Package isolation shows what a team reaches and what it does not: who may do what,
// by review and by real requests; attacks by kubectl and by Git, all refused; and the
// work of an application developer, all of it allowed. What it finds is written into
// docs/access.md and docs/isolation.md.
package isolation

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"demarc.dev/demarc/test/cluster"
)

var update = flag.Bool("update", false, "write what was found into docs/access.md and docs/isolation.md")

// on is the sandbox of all these tests.
var on *cluster.Cluster

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(cluster.Main(m, "isolation", func(c *cluster.Cluster) { on = c }))
}

// patience is for what Argo CD does on a slow and loaded machine.
const patience = 4 * time.Minute

// persona is somebody with the groups that make them who they are.
type persona struct {
	name   string
	user   string
	groups []string
	// kubeconfig of who comes with a credential of their own.
	kubeconfig string
}

// flags make kubectl act as them.
func (p persona) flags() []string {
	if p.kubeconfig != "" {
		return []string{"--kubeconfig=" + p.kubeconfig}
	}
	flags := []string{"--as=" + p.user}
	for _, g := range p.groups {
		flags = append(flags, "--as-group="+g)
	}
	return flags
}

// as is somebody whose group a Tenant gives a role: team-rogue-edit.
func as(team, role string) persona {
	return persona{name: role, user: role + "@" + team + ".example", groups: []string{"people:" + team + ":" + role, "system:authenticated"}}
}

// deliverer is the account that Argo CD syncs a team's Git as.
func deliverer(team string) persona {
	ns := "team-" + team
	return persona{name: "Git", user: "system:serviceaccount:" + ns + ":demarc-deliver",
		groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"}}
}

// team is a Tenant with somebody in each role, a pipeline, and what else its spec has.
func team(name string, spec ...string) string {
	access := []string{"{serviceAccount: {namespace: ci, name: " + name + "}, role: edit}"}
	for _, role := range []string{"view", "operate", "edit"} {
		access = append(access, "{group: 'people:"+name+":"+role+"', role: "+role+"}")
	}
	return cluster.Tenant(name, strings.Join(append(spec, cluster.Roomy, "access: ["+strings.Join(access, ", ")+"]"), ", "))
}

func replaced(text, what, by string) string { return strings.ReplaceAll(text, what, by) }

// kubectl runs it as somebody.
func kubectl(t *testing.T, who persona, stdin string, args ...string) (string, error) {
	t.Helper()
	return on.Kubectl(t, stdin, append(args, who.flags()...)...)
}
