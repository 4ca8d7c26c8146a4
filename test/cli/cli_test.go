// Package cli runs the command line as a person does, from scripts in testdata, on a
// real API server with an operator and a stand-in for Argo CD.
package cli

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/sandbox/programs"
)

var (
	env *testenv.Env
	// kubeconfig of the administrator, and the folder with kubectl.
	kubeconfig, programsDir string
)

// The test binary is demarc, and kubectl-demarc, for the scripts.
func TestMain(m *testing.M) {
	demarc := func() {
		os.Exit(cli.Run(context.Background(), factory.New(os.Args[0], factory.Terminal()), os.Args[1:]))
	}
	testscript.Main(server{m}, map[string]func(){"demarc": demarc, "kubectl-demarc": demarc})
}

// server runs the tests with an API server; as a command the binary needs none.
type server struct{ m *testing.M }

func (s server) Run() int {
	started, err := testenv.Start(true)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start a real API server (build the programs with make test):", err)
		return 1
	}
	defer func() { _ = started.Stop() }()
	env = started
	if err := prepare(env); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.Remove(kubeconfig)
	return s.m.Run()
}

// prepare makes what the platform brings, and a way in for the scripts.
func prepare(e *testenv.Env) error {
	ctx := context.Background()
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "argocd"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: argocd.ConfigMap}, Data: map[string]string{argocd.ImpersonationKey: "true"}},
		&v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.PlatformSpec{
			Chart: &v1alpha1.PlatformChart{RepoURL: "file:///platform.git", TargetRevision: "v1"}}},
		// Who may delete anything and holds no force: the platform's helper.
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "helper"}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch", "patch", "delete"}}}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "helper"},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "helper"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "helper"}}},
	} {
		if err := e.Client.Create(ctx, o); err != nil {
			return fmt.Errorf("make %T %s: %w", o, o.GetName(), err)
		}
	}
	set, err := programs.Find(ctx)
	if err != nil {
		return err
	}
	programsDir = set.BinDir
	kubeconfig, err = writeKubeconfig(e.Config)
	return err
}

func writeKubeconfig(config *rest.Config) (string, error) {
	file, err := os.CreateTemp("", "demarc-cli-*.kubeconfig")
	if err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	name := "test"
	return file.Name(), clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{name: {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData,
			Token: config.BearerToken, Username: config.Username, Password: config.Password}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
		CurrentContext: name,
	}, file.Name())
}

func TestScripts(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	p := params()
	setup := p.Setup
	address, certificate := prometheus(t)
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("PROMETHEUS", address)
		e.Setenv("SSL_CERT_FILE", certificate)
		return setup(e)
	}
	testscript.Run(t, p)
}

// prometheus answers any query with one container that is held back half of the time, until
// the test ends; the file holds its certificate.
func prometheus(t *testing.T) (address, certificate string) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"pod":"api-a","container":"api"},"value":[%d,"0.5"]}]}}`, time.Now().Unix())
	}))
	t.Cleanup(server.Close)
	certificate = filepath.Join(t.TempDir(), "prometheus.crt")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificate, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, certificate
}

// With Argo CD gone for good, what is deleted waits, and goes by force alone.
func TestScriptsWithoutArgoCD(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	p := params()
	p.Dir = filepath.Join("testdata", "stuck")
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"deliver": deliver(t)}
	testscript.Run(t, p)
}

func params() testscript.Params {
	return testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("KUBECONFIG", kubeconfig)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("PATH", programsDir+string(os.PathListSeparator)+e.Getenv("PATH"))
			return nil
		},
	}
}

// deliver lets the stand-in work until a claim is Ready: deliver CLAIM.
func deliver(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		stop := env.StandIn(t)
		defer stop()
		claim := &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: args[0]}}
		deadline, cancel := context.WithTimeout(context.Background(), 90*time.Second)
		defer cancel()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			err := env.Client.Get(deadline, client.ObjectKeyFromObject(claim), claim)
			if err == nil && len(claim.Status.Inventory) > 0 && claim.Status.Running != nil {
				return
			}
			select {
			case <-deadline.Done():
				ts.Fatalf("claim %s is not Ready: %v %+v", args[0], err, claim.Status)
			case <-tick.C:
			}
		}
	}
}
