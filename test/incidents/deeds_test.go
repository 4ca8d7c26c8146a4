package incidents

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/test/cluster"
)

// deed is what somebody does.
type deed = func(*testing.T, incident)

// asks changes the claim, as a developer of the team.
func asks(spec string) deed {
	return func(t *testing.T, i incident) {
		t.Helper()
		i.kubectl(t, i.developer(), "patch", "serviceclaim", i.name, "--type=merge", "-p", `{"spec":`+spec+`}`)
	}
}

// commits writes files to the team's repository.
func commits(files map[string]string) deed {
	return func(t *testing.T, i incident) {
		t.Helper()
		i.commit(t, files)
		i.pushed(t)
	}
}

// waits does nothing: it goes wrong by itself.
func waits(*testing.T, incident) {}

// nodeSays has the kubelet of a node say that it is not ready; no words have it be ready again.
func nodeSays(node, words string) deed {
	return func(t *testing.T, _ incident) {
		t.Helper()
		args := []string{"annotate", "node", node, "sandbox.demarc.dev/not-ready=" + words, "--overwrite"}
		if words == "" {
			args = []string{"annotate", "node", node, "sandbox.demarc.dev/not-ready-"}
		}
		if out, err := on.Kubectl(t, "", args...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// kubectl is a call that must succeed.
func (i incident) kubectl(t *testing.T, who []string, args ...string) {
	t.Helper()
	if out, err := on.Kubectl(t, "", append(args, who...)...); err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func (i incident) repository(t *testing.T) string {
	t.Helper()
	repo, err := on.Box.Repository(t.Context(), i.name)
	if err != nil {
		t.Fatal(err)
	}
	return repo.URL()
}

func (i incident) commit(t *testing.T, files map[string]string) {
	t.Helper()
	repo, err := on.Box.Repository(t.Context(), i.name)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	for name, text := range files {
		content[name] = []byte(text)
	}
	if _, err := repo.Commit(t.Context(), "Change "+i.name, content); err != nil {
		t.Fatal(err)
	}
}

// pushed tells Argo CD of a commit, as the webhook of a repository does: by itself it would
// look at a branch anew after some minutes.
func (i incident) pushed(t *testing.T) {
	t.Helper()
	on.Must(t, "annotate application "+i.name+"."+i.name+" -n argocd argocd.argoproj.io/refresh=normal --overwrite")
}

// drain empties the node of a pod of the team, as the platform does: it cordons it and evicts
// what is on it. It ends with what kubectl says.
func (i incident) drain(t *testing.T, node, within string) (string, error) {
	t.Helper()
	return on.Kubectl(t, "", "drain", node, "--ignore-daemonsets", "--timeout="+within)
}

// nodeOf is where one of the team's pods runs.
func (i incident) nodeOf(t *testing.T) (name string) {
	t.Helper()
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		var pods corev1.PodList
		if err := on.Client.List(ctx, &pods, client.InNamespace(i.namespace())); err != nil {
			return err
		}
		for _, p := range pods.Items {
			if name = p.Spec.NodeName; name != "" {
				return nil
			}
		}
		return fmt.Errorf("no pod of team %s is on a node", i.name)
	})
	return name
}
