package isolation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/test/cluster"
)

// peers are live pods with the labels of their live namespaces.
func peers(t *testing.T) map[string]peer {
	t.Helper()
	same := pod(t, "team-victim", client.MatchingLabels{"demarc.dev/claim": "victim"})
	disguised := pod(t, "team-rogue", client.MatchingLabels{"app": "sender"})
	disguised.Internal.PodLabels = same.Internal.PodLabels
	app := client.MatchingLabels{"app": "sender"}
	return map[string]peer{
		"team":                    same,
		"another pod of the team": pod(t, "team-victim", client.MatchingLabels{"demarc.dev/claim": "victim-two"}),
		"a pod of another team":   pod(t, "team-rogue", app),
		"a pod of another team, labelled like the team's own": disguised,
		"the namespace of the ingress controller":             pod(t, "edge", app),
		"the namespace of the monitoring":                     pod(t, "metrics", app),
		"a namespace that is no team's":                       pod(t, "default", app),
		"kube-system":                                         pod(t, "kube-system", app),
		"a node, or outside the cluster":                      {IP: "192.0.2.1"},
	}
}

func pod(t *testing.T, namespace string, labels client.MatchingLabels) peer {
	t.Helper()
	ns, pods := &corev1.Namespace{}, &corev1.PodList{}
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		if err := on.Client.Get(ctx, types.NamespacedName{Name: namespace}, ns); err != nil {
			return err
		}
		if err := on.Client.List(ctx, pods, client.InNamespace(namespace), labels); err != nil {
			return err
		}
		if len(pods.Items) == 0 || pods.Items[0].Status.PodIP == "" {
			return fmt.Errorf("no pod of %v in %s has an address", labels, namespace)
		}
		return nil
	})
	p := pods.Items[0]
	return peer{IP: p.Status.PodIP, Internal: &inside{PodLabels: p.Labels, NamespaceLabels: ns.Labels, Namespace: namespace}}
}

// netpol runs the program in the folder of that name, a module of its own.
func netpol(t *testing.T, policies []*networkingv1.NetworkPolicy, all []traffic) []bool {
	t.Helper()
	question, err := json.Marshal(map[string]any{"policies": policies, "traffic": all})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = filepath.Join(cluster.Root(), "test", "isolation", "netpol")
	var out, errors bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("evaluate the policies: %v: %s", err, errors.String())
	}
	var allowed []bool
	if err := json.Unmarshal(out.Bytes(), &allowed); err != nil {
		t.Fatalf("read what netpol says: %v: %s", err, out.String())
	}
	return allowed
}
