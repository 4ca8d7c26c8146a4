package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/sandbox/install"
)

// An upgrade of Demarc's own chart writes nothing of the teams'. Not parallel:
// others' tests would be what changed.
func TestUpgradeLeavesTeamsAlone(t *testing.T) {
	apply(t, tenant("kept", roomy), claim("kept", "kept", "image: nginx:1.27-alpine, port: 80"))
	claimSays(t, "kept", "Ready", "Running")
	before := settled(t, "kept")

	root := filepath.Join("..", "..", "charts", "demarc")
	must(t, "apply --server-side --force-conflicts -f "+filepath.Join(root, "crds"))
	helm(t, "upgrade", "demarc", root, "--kubeconfig", box.Kubeconfig(), "--namespace", install.Namespace,
		"--reuse-values", "--set", "operator.image=demarc-operator:next")
	if err := box.Stop(t.Context(), install.Operator); err != nil {
		t.Fatal(err)
	}
	if err := box.Start(t.Context(), install.Operator); err != nil {
		t.Fatal(err)
	}
	// The new operator works: what it does at its start is done.
	apply(t, tenant("kept-next", roomy), claim("kept-next", "kept-next", "image: nginx:1.27-alpine"))
	claimSays(t, "kept-next", "Ready", "Running")
	if diff := cmp.Diff(before, versions(t, "kept")); diff != "" {
		t.Errorf("written to by the upgrade (-before +after):\n%s", diff)
	}
}

// versions are the resourceVersions of all that is a team's. An Application's is
// its spec's: Argo CD writes the time at which it last looked.
func versions(t *testing.T, team string) []string {
	t.Helper()
	const columns = " --no-headers -o custom-columns=KIND:.kind,NAME:.metadata.name,VERSION:.metadata.resourceVersion"
	ns := "team-" + team
	out := must(t, "get tenant "+team+columns) +
		must(t, "get serviceclaims --field-selector=spec.team="+team+columns) +
		must(t, "get namespace "+ns+columns) +
		must(t, "get clusterrolebindings -l demarc.dev/team="+team+columns) +
		must(t, "get clusterroles -l demarc.dev/owner"+columns) +
		must(t, "get deployments,replicasets,pods,services,serviceaccounts,resourcequotas,limitranges,networkpolicies,rolebindings -n "+ns+columns) +
		must(t, "get appproject "+ns+" -n argocd"+columns) +
		must(t, "get applications -n argocd -l demarc.dev/team="+team+" -o jsonpath={.items[*].spec}")
	var lines []string
	for _, line := range strings.Split(out, "\n") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

// settled are the versions once they stay the same for three seconds.
func settled(t *testing.T, team string) []string {
	t.Helper()
	last, since := versions(t, team), time.Now()
	eventually(t, soon, func(context.Context) error {
		now := versions(t, team)
		if !cmp.Equal(last, now) {
			last, since = now, time.Now()
		}
		if rest := 3*time.Second - time.Since(since); rest > 0 {
			return fmt.Errorf("still changing, %s to go", rest)
		}
		return nil
	})
	return last
}
