package edges

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/cluster"
)

// Complaint 26 (capsule#2102): a controller that died in silence is seen: each beats
// in a metric, and readiness names the one that does not.
func TestComplaint26EachControllerBeats(t *testing.T) {
	t.Parallel()
	cluster.Eventually(t, soon, func(context.Context) error {
		text, err := fetch(c.Demarc.MetricsURL)
		if err != nil {
			return err
		}
		for _, controller := range []string{"argocd", "platform", "tenant", "serviceclaim"} {
			beat := regexp.MustCompile(`demarc_controller_heartbeat_timestamp_seconds\{controller="` + controller + `"\} (\S+)`).FindStringSubmatch(text)
			if beat == nil {
				return fmt.Errorf("%s does not beat", controller)
			}
			at, err := strconv.ParseFloat(beat[1], 64)
			if age := time.Since(time.Unix(int64(at), 0)); err != nil || age > 2*time.Minute {
				return fmt.Errorf("%s beat %s ago (%v)", controller, age, err)
			}
		}
		return nil
	})
}

func fetch(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// Complaint 27 (HNC#228, #399; capsule#721): a restart deletes nothing and writes
// nothing. Not parallel: others' tests would be what changed.
func TestComplaint27RestartWritesNothing(t *testing.T) {
	running(t, "steady")
	before := versions(t, "steady")
	cluster.Eventually(t, soon, func(context.Context) error { // until it is still
		last := before
		if before = versions(t, "steady"); before != last {
			return fmt.Errorf("still changing")
		}
		return nil
	})
	if err := c.Box.Kill(install.Operator); err != nil {
		t.Fatal(err)
	}
	// A team that comes after the restart shows that what is done at the start is done.
	running(t, "steady-after")
	if after := versions(t, "steady"); after != before {
		t.Errorf("before the restart:\n%s\nafter:\n%s", before, after)
	}
}

func versions(t *testing.T, team string) string {
	t.Helper()
	const columns = " --no-headers -o custom-columns=KIND:.kind,NAME:.metadata.name,UID:.metadata.uid,VERSION:.metadata.resourceVersion"
	return strings.Join([]string{
		c.Must(t, "get tenant "+team+columns), c.Must(t, "get serviceclaim "+team+columns), c.Must(t, "get namespace team-"+team+columns),
		c.Must(t, "get deployments,pods,services,serviceaccounts,resourcequotas,limitranges,networkpolicies,rolebindings -n team-"+team+columns),
		c.Must(t, "get clusterroles -l demarc.dev/owner"+columns),
	}, "")
}

// Demarc's chart is uninstalled and installed again: services run, and the teams'
// objects are as they were. Not parallel: all of Demarc goes.
func TestChartUninstalled(t *testing.T) {
	running(t, "stayed")
	pod := c.Must(t, "get pods -n team-stayed -o jsonpath={.items[*].metadata.uid}")
	halted(t, install.Operator)
	helm(t, "uninstall", "demarc", "--namespace", install.Namespace)
	c.Must(t, "get crd tenants.demarc.dev serviceclaims.demarc.dev platforms.demarc.dev")
	// Without the operator a deletion waits and takes nothing down.
	c.Must(t, "delete serviceclaim stayed --wait=false")
	if now := c.Must(t, "get pods -n team-stayed -o jsonpath={.items[*].metadata.uid}"); now != pod {
		t.Errorf("the pods were %s and are %s", pod, now)
	}
	if _, err := install.Run(t.Context(), c.Box, install.Options{Root: cluster.Root()}); err != nil {
		t.Fatal(err)
	}
	claimGone(t, "stayed")
	running(t, "stayed")
}

func helm(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(c.Box.BinDir(), "helm"), append(args, "--kubeconfig", c.Box.Kubeconfig())...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("helm %s: %v: %s", strings.Join(args, " "), err, out)
	}
}
