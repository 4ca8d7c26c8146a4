package verify

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/sandbox/programs"
)

// tampered does to the real cluster what each case of internal/verify does to a snapshot:
// it is found there too, and the mends that are proposed make the cluster clean again.
func tampered(t *testing.T) {
	kubectl := administrator(t)
	files, err := filepath.Glob(filepath.Join(testenv.Root(), "internal", "verify", "testdata", "*.txtar"))
	must(t, err)
	if len(files) < 40 {
		t.Fatalf("only %d cases", len(files))
	}
	for _, file := range files {
		ok := t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			must(t, err)
			made := tamper(t, archive.Files[0].Data)
			testenv.EventuallyWithin(t, patience, func() error { return finds(t, string(archive.Files[1].Data)) })
			mend(t, kubectl)
			for _, o := range made { // roles that nobody is bound to any more
				must(t, client.IgnoreNotFound(env.Client.Delete(t.Context(), o)))
			}
		})
		if !ok {
			return // the next would find what this one left
		}
	}
}

// tamper writes past the API server, as no policy lets anybody do some of it; it returns
// what it made.
func tamper(t *testing.T, text []byte) (made []*unstructured.Unstructured) {
	t.Helper()
	changes, err := testenv.Tamperings(text)
	must(t, err)
	for _, c := range changes {
		if !c.Gone && len(c.Change) == 0 {
			made = append(made, c.Object)
			must(t, create(t, c.Object.DeepCopy()))
			continue
		}
		live := c.Object.DeepCopy()
		must(t, env.Client.Get(t.Context(), client.ObjectKeyFromObject(live), live))
		if !c.Gone {
			changed, err := c.On(live)
			must(t, err)
			must(t, env.Restore(t.Context(), changed))
			continue
		}
		// A policy that went before holds for some moments.
		testenv.EventuallyWithin(t, patience, func() error { return env.Client.Delete(t.Context(), live) })
		if len(live.GetFinalizers()) > 0 {
			must(t, env.Client.Patch(t.Context(), live, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))))
		}
	}
	return made
}

// create as the administrator, or where a mark is set as the operator would.
func create(t *testing.T, o *unstructured.Unstructured) error {
	t.Helper()
	return env.Client.Create(t.Context(), o)
}

// finds compares what is found with what a case wants: ids and objects.
func finds(t *testing.T, want string) error {
	t.Helper()
	found := map[string]bool{}
	report := check(t)
	for _, f := range report.Findings {
		found[fmt.Sprintf("%s %s %s", f.ID, f.Severity, f.Object)] = true
	}
	var errs []error
	for _, line := range strings.Split(want, "\n") {
		if strings.HasPrefix(line, "OC") && !found[line] {
			errs = append(errs, fmt.Errorf("it does not find %s", line))
		}
	}
	return errors.Join(errs...)
}

// mend does what is proposed, one by one, until nothing is left to be done.
func mend(t *testing.T, kubectl func(string) error) {
	t.Helper()
	const most = 6
	for range most {
		report, did := check(t), false
		for _, f := range report.Findings {
			if !f.Counts() {
				continue
			}
			if f.Mend.Command == "" {
				t.Fatalf("%s %s has no command: %s", f.ID, f.Object, f.Mend.Says)
			}
			if err := kubectl(f.Mend.Command); err != nil {
				t.Fatalf("%s %s: %v", f.ID, f.Object, err)
			}
			did = true
			break
		}
		if !did {
			return
		}
	}
	if err := clean(t); err != nil {
		t.Fatalf("after %d mends: %v", most, err)
	}
}

// administrator runs a command as who may do everything.
func administrator(t *testing.T) func(command string) error {
	t.Helper()
	set, err := programs.Find(t.Context())
	must(t, err)
	file, name := filepath.Join(t.TempDir(), "kubeconfig"), "test"
	must(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{name: {Server: env.Config.Host, CertificateAuthorityData: env.Config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{name: {ClientCertificateData: env.Config.CertData, ClientKeyData: env.Config.KeyData}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
		CurrentContext: name,
	}, file))
	return func(command string) error {
		cmd := exec.Command("sh", "-c", command)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+file, "PATH="+set.BinDir+string(os.PathListSeparator)+os.Getenv("PATH"))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s\n%w: %s", command, err, out.String())
		}
		return nil
	}
}
