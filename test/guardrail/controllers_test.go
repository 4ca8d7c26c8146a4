package guardrail

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"demarc.dev/demarc/sandbox/programs"
)

// controllers runs some of Kubernetes' own, each under its own account as on a real
// cluster, until the test ends.
func controllers(t *testing.T, names string) {
	t.Helper()
	found, err := programs.Find(t.Context())
	must(t, err)
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	must(t, err)
	cmd := exec.Command(filepath.Join(found.BinDir, "kube-controller-manager"),
		"--kubeconfig="+kubeconfig(t, dir), "--controllers="+names, "--use-service-account-credentials=true",
		"--leader-elect=false", "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", freePort(t)))
	cmd.Stdout, cmd.Stderr = log, log
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			<-ended
		}
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("kube-controller-manager said at last:\n%s", said[max(0, len(said)-4000):])
		}
		_ = log.Close()
	})
}

// kubeconfig of the user that the controllers have before they have accounts.
func kubeconfig(t *testing.T, dir string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["env"] = &clientcmdapi.Cluster{Server: env.Config.Host, CertificateAuthorityData: env.Config.CAData}
	config.AuthInfos["manager"] = &clientcmdapi.AuthInfo{ClientCertificateData: env.Config.CertData, ClientKeyData: env.Config.KeyData,
		Impersonate: "system:kube-controller-manager"}
	config.Contexts["env"] = &clientcmdapi.Context{Cluster: "env", AuthInfo: "manager"}
	config.CurrentContext = "env"
	file := filepath.Join(dir, "kubeconfig")
	must(t, clientcmd.WriteToFile(*config, file))
	return file
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
