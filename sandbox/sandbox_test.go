package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/process"
	"demarc.dev/demarc/sandbox/programs"
	"demarc.dev/demarc/sandbox/supervisor"
)

// up starts a sandbox in a state folder of the test's own.
func up(t *testing.T, o sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a control plane")
	}
	set, err := programs.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(set.BinDir); err != nil {
		t.Fatal("the programs are not built yet: go run ./cmd/demarc-sandbox build")
	}
	t.Setenv("DEMARC_STATE", t.TempDir())
	o.Name, o.Out = "test", t.Output()
	s, err := sandbox.Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Down(context.Background()); err != nil {
			t.Error(err)
		}
		noProcess(t, s)
	})
	return s
}

func noProcess(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	if left := process.Marked(supervisor.Mark, s.Dir()); len(left) > 0 {
		t.Errorf("processes remain: %v", left)
	}
}

// eventually polls until check returns nil.
func eventually(t *testing.T, timeout time.Duration, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after %s: %v", timeout, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func client(t *testing.T, s *sandbox.Sandbox) kubernetes.Interface {
	t.Helper()
	config, err := s.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kubectl(t *testing.T, s *sandbox.Sandbox, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.BinDir(), "kubectl"), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %v: %v: %s", args, err, out)
	}
	return string(out)
}

// One sandbox serves all of these: they need no fresh one.
func TestSandbox(t *testing.T) {
	s := up(t, sandbox.Options{})
	c := client(t, s)
	if _, err := c.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Run("nodes are ready", func(t *testing.T) {
		if out := kubectl(t, s, "get", "nodes", "--no-headers"); strings.Count(out, " Ready ") != 3 {
			t.Errorf("nodes:\n%s", out)
		}
	})
	t.Run("a deployment becomes ready", func(t *testing.T) { testDeployment(t, c) })
	t.Run("an image's host decides", func(t *testing.T) { testImages(t, c) })
	t.Run("Argo CD delivers", func(t *testing.T) { testArgoCD(t, s) })
	t.Run("a killed component comes back", func(t *testing.T) { testKill(t, s) })
	t.Run("components are added and stopped", func(t *testing.T) { testRun(t, s) })
	t.Run("up again checks only", func(t *testing.T) { testUpAgain(t, s) })
}
