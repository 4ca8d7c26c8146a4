package isolation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"demarc.dev/demarc/test/cluster"
)

const hook = `
apiVersion: batch/v1
kind: Job
metadata: {name: before, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {backoffLimit: 0, template: {spec: {serviceAccountName: demarc-deliver, restartPolicy: Never, containers: [{name: x, image: x}]}}}
`

// TestGitHooksAreNobodyElse: a hook is applied as the team's account, and its pods
// run as no account of the platform's.
func TestGitHooksAreNobodyElse(t *testing.T) {
	t.Parallel()
	teams(t)
	commit(t, "rogue-hook", map[string]string{"hook.yaml": hook, "cm.yaml": strings.Replace(configMap, "reached", "after-hook", 1)})
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		out := on.Must(t, "get events -n team-rogue --field-selector involvedObject.kind=Job,involvedObject.name=before -o jsonpath={.items[*].message}")
		if !strings.Contains(out, "demarc-deliver is the account that Argo CD delivers as, and no pod's") {
			return fmt.Errorf("the hook's events say %q", out)
		}
		return nil
	})
	if out, err := on.Kubectl(t, "", "get", "configmap", "after-hook", "-n", "team-rogue"); err == nil {
		t.Errorf("what waits for the hook was delivered: %s", out)
	}
}
