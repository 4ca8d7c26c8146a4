package road

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/sandbox/kwok"
	"demarc.dev/demarc/sandbox/programs"
)

// An image that must be root is told so under strict, and runs under baseline: kwok plays
// the kubelet, by the host in the image's name.
func TestImageThatMustBeRoot(t *testing.T) {
	kubelets(t)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	if err := env.Client.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = env.Client.Delete(t.Context(), node) })
	for profile, want := range map[v1alpha1.GuardrailProfile]string{
		v1alpha1.ProfileBaseline: "",
		v1alpha1.ProfileStrict:   "ContainerConfigError: container web of image rootful.invalid/web:1: CreateContainerConfigError: container has runAsNonRoot and image will run as root",
	} {
		a := asked{claim: &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "shop", Image: "rootful.invalid/web:1"}}}.named("web")
		under(t, v1alpha1.PlatformSpec{}, profile)
		objects, err := a.rendered(profile)
		if err != nil {
			t.Fatal(err)
		}
		pod := podsOf(objects)[0].Unstructured
		pod.SetNamespace(namespace)
		pod.SetOwnerReferences(nil) // nothing would keep it
		if err := unstructured.SetNestedField(pod.Object, node.Name, "spec", "nodeName"); err != nil {
			t.Fatal(err)
		}
		if err := operatorless(t, profile, pod); err != nil {
			t.Fatal(err)
		}
		live := &corev1.Pod{}
		testenv.Eventually(t, func() error {
			if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(pod), live); err != nil {
				return err
			}
			said := ""
			if trouble := readiness.TroubleOf(live); trouble != nil {
				said = trouble.Reason + ": " + trouble.Message
			}
			if len(live.Status.ContainerStatuses) == 0 || len(said) < len(want) || said[:len(want)] != want || want == "" && said != "" {
				return fmt.Errorf("under %s it is %s, and says %q", profile, live.Status.Phase, said)
			}
			return nil
		})
		if running := live.Status.Phase == corev1.PodRunning; running != (want == "") {
			t.Errorf("under %s it is %s", profile, live.Status.Phase)
		}
		if err := env.Client.Delete(t.Context(), live, client.GracePeriodSeconds(0)); err != nil {
			t.Fatal(err)
		}
		testenv.Eventually(t, func() error {
			if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(pod), live); client.IgnoreNotFound(err) != nil || err == nil {
				return fmt.Errorf("the pod is still there: %w", err)
			}
			return nil
		})
	}
}

// operatorless creates a pod that no workload owns: the rule about naked pods is not meant.
func operatorless(t *testing.T, profile v1alpha1.GuardrailProfile, pod *unstructured.Unstructured) error {
	t.Helper()
	if profile == v1alpha1.ProfileStrict {
		under(t, v1alpha1.PlatformSpec{Guardrails: v1alpha1.PlatformGuardrails{
			Rules: []v1alpha1.GuardrailRule{{ID: "naked-pod", Mode: v1alpha1.GuardrailOff}}}}, profile)
	}
	var err error
	testenv.Eventually(t, func() error {
		err = env.Client.Create(t.Context(), pod)
		return err
	})
	return err
}

// kubelets runs kwok with the sandbox's stages, until the test ends.
func kubelets(t *testing.T) {
	t.Helper()
	found, err := programs.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := clientcmdapi.NewConfig()
	config.Clusters["env"] = &clientcmdapi.Cluster{Server: env.Config.Host, CertificateAuthorityData: env.Config.CAData}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{ClientCertificateData: env.Config.CertData, ClientKeyData: env.Config.KeyData}
	config.Contexts["env"] = &clientcmdapi.Context{Cluster: "env", AuthInfo: "admin"}
	config.CurrentContext = "env"
	kubeconfig, stages := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "kwok.yaml")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stages, []byte(kwok.Config()), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(found.BinDir, "kwok"), "--kubeconfig="+kubeconfig, "--config="+stages, "--manage-all-nodes=true",
		"--cidr=10.1.0.0/16", "--node-ip=127.0.0.1", "--server-address="+address)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
		if said, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("kwok said at last:\n%s", said[max(0, len(said)-4000):])
		}
		_ = log.Close()
	})
}
