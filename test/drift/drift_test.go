// Package drift shows the article's week on a real control plane with a real Argo CD: Git
// says three replicas, somebody scales to five on Tuesday, and on Thursday Argo CD takes them
// back. demarc drift says so in between, and what will come.
package drift

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/internal/drift"
	"demarc.dev/demarc/test/cluster"
)

// patience is for what takes seconds on an idle machine.
const patience = 4 * time.Minute

var (
	on *cluster.Cluster
	// program is the command line, built once.
	program string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "demarc-drift-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "demarc")
	build := exec.Command("go", "build", "-o", program, "./cmd/demarc")
	build.Dir = cluster.Root()
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build demarc: %v: %s\n", err, out)
		return 1
	}
	return cluster.Main(m, "drift", func(c *cluster.Cluster) { on = c })
}

// TestWeek is in the order of the week.
func TestWeek(t *testing.T) {
	selfHeal(t, false)
	on.Apply(t, cluster.Tenant("tide", cluster.Roomy), cluster.Claim("tide", "tide", "image: nginx:1.27-alpine, port: 80, replicas: 3"))
	on.ClaimSays(t, patience, "tide", "Ready", "Running")
	t.Run("Monday, nothing differs", calm)
	t.Run("Tuesday, scaled by hand", scaled)
	t.Run("Wednesday, more by hand", byHand)
	selfHeal(t, true)
	t.Run("Thursday, taken back", takenBack)
	t.Run("Friday, scaled again", again)
}

func selfHeal(t *testing.T, to bool) {
	t.Helper()
	on.Must(t, fmt.Sprintf(`patch platform default --type=merge -p {"spec":{"argocd":{"selfHeal":%v}}}`, to))
}

func calm(t *testing.T) {
	eventually(t, func(r drift.Report) error {
		if len(r.Findings) > 0 || r.Compared < 3 { // the Application, the Deployment, the Service
			return errors.New("not yet, or never")
		}
		return nil
	})
}

// scaled: while self-heal is off the five stay, however often Argo CD looks.
func scaled(t *testing.T) {
	on.Must(t, "scale deployment tide -n team-tide --replicas=5")
	d := finds(t, drift.Changed, "spec.replicas", func(d drift.Difference) bool { return d.By.Sync == "OutOfSync" && d.Change.At != nil })
	if d.Declared != "3" || d.Live != "5" || d.By.Claim != "tide" || d.Change.Tool != "kubectl scale" || d.Change.Subresource != "scale" ||
		d.Change.From != "the Event ScalingReplicaSet" || d.Change.Was != "3" || d.Then.What != drift.Stays {
		t.Errorf("it says %+v, changed %+v, then %+v", d, d.Change, d.Then)
	}
	d = finds(t, drift.Changed, "spec.replicas", func(drift.Difference) bool { return true }, "--audit-log", filepath.Join(on.Box.Dir(), "audit", "audit.log"))
	if d.Change.User == "" || d.Change.From != "the audit log" {
		t.Errorf("with the audit log it says %+v", d.Change)
	}
	on.Must(t, "annotate application tide.tide -n argocd argocd.argoproj.io/refresh=normal --overwrite")
	cluster.Eventually(t, patience, func(context.Context) error {
		if out := on.Must(t, "get application tide.tide -n argocd -o yaml"); strings.Contains(out, "argocd.argoproj.io/refresh: ") {
			return errors.New("Argo CD has not looked yet")
		}
		return nil
	})
	if n := number(t); n != 5 {
		t.Errorf("there are %d, although self-heal is off", n)
	}
}

// byHand: a field that Git has is told apart from one that it does not mention.
func byHand(t *testing.T) {
	on.Must(t, "set image deployment/tide -n team-tide tide=nginx:1.28-alpine")
	on.Must(t, "set env deployment/tide -n team-tide EXTRA=yes")
	on.Must(t, "create configmap by-hand -n team-tide --from-literal=a=b")
	d := finds(t, drift.Changed, "spec.template.spec.containers[tide].image", func(d drift.Difference) bool { return d.By.Sync == "OutOfSync" })
	if d.Declared != "nginx:1.27-alpine" || d.Change.Tool != "kubectl set" || d.Change.At == nil || d.Then.What != drift.Stays {
		t.Errorf("it says %+v, changed %+v, then %+v", d, d.Change, d.Then)
	}
	if d := finds(t, drift.Added, "spec.template.spec.containers[tide].env[EXTRA]", func(drift.Difference) bool { return true }); d.Then.What != drift.Stays {
		t.Errorf("what Git does not mention: %+v", d.Then)
	}
	finds(t, drift.Undeclared, "", func(d drift.Difference) bool { return d.Object.Name == "by-hand" })
}

// takenBack: with self-heal on what is declared comes back, and what is not stays.
func takenBack(t *testing.T) {
	eventually(t, func(r drift.Report) error {
		for _, d := range r.Findings {
			if d.ID == drift.Changed || d.ID == drift.Removed || d.ID == drift.Unfound {
				return fmt.Errorf("%s: %s", d.ID, d.Message)
			}
		}
		if n := number(t); n != 3 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
	if d := finds(t, drift.Added, "spec.template.spec.containers[tide].env[EXTRA]", func(d drift.Difference) bool { return d.By.Sync == "Synced" }); d.Change.Tool != "kubectl set" {
		t.Errorf("what Git does not mention is still there, by %+v", d.Change)
	}
}

// again: it does not last; whoever is quick enough to ask is told so.
func again(t *testing.T) {
	on.Must(t, "scale deployment tide -n team-tide --replicas=4")
	r, _ := asked(t)
	for _, d := range r.Findings {
		if d.Field == "spec.replicas" && d.Then.What != drift.Reverts {
			t.Errorf("it says %+v", d.Then)
		}
	}
	eventually(t, func(drift.Report) error {
		if n := number(t); n != 3 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
}

func number(t *testing.T) int32 {
	t.Helper()
	d := &appsv1.Deployment{}
	if err := on.Client.Get(t.Context(), types.NamespacedName{Namespace: "team-tide", Name: "tide"}, d); err != nil {
		t.Fatal(err)
	}
	return *d.Spec.Replicas
}

// finds waits for a finding of a field that is as it is wanted.
func finds(t *testing.T, id, field string, as func(drift.Difference) bool, args ...string) (found drift.Difference) {
	t.Helper()
	eventually(t, func(r drift.Report) error {
		for _, d := range r.Findings {
			if d.ID == id && d.Field == field && as(d) {
				found = d
				return nil
			}
		}
		return fmt.Errorf("no %s of %s as it is wanted", id, field)
	}, args...)
	return found
}

func eventually(t *testing.T, holds func(drift.Report) error, args ...string) {
	t.Helper()
	cluster.Eventually(t, patience, func(context.Context) error {
		r, out := asked(t, args...)
		if err := holds(r); err != nil {
			return fmt.Errorf("%w; it says: %s", err, out)
		}
		return nil
	})
}

func asked(t *testing.T, args ...string) (r drift.Report, out string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append([]string{"drift", "--team", "tide", "-o", "json"}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+on.Box.Kubeconfig())
	var printed, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &complaints
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	code := cmd.ProcessState.ExitCode()
	if err := json.Unmarshal(printed.Bytes(), &r); err != nil || code > 1 || (code == 1) != r.Found() || len(r.Unread) > 0 {
		t.Fatalf("demarc drift ends with %d: %v: %s%s", code, err, printed.String(), complaints.String())
	}
	return r, printed.String()
}
