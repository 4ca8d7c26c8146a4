package demo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/demo"
	"demarc.dev/demarc/sandbox/programs"
)

// The demo runs twice: all becomes Ready, the second run changes nothing, and what is to be tried next works.
func TestDemo(t *testing.T) {
	o := options(t)
	var shown bytes.Buffer
	o.Out = io.MultiWriter(&shown, t.Output())
	if err := demo.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"serviceclaim.demarc.dev/refunds ", "tenant.demarc.dev/catalog ", "team-payments ", "ready    Running",
	} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("the demo does not show %q", want)
		}
	}
	s, err := sandbox.Open(o.Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a second run changes nothing", func(t *testing.T) { testAgain(t, s, o) })
	t.Run("what is to be tried next works", func(t *testing.T) { testNext(t, o, shown.String()) })
	t.Run("it brings back what was changed", func(t *testing.T) {
		shown.Reset()
		if err := demo.Run(t.Context(), o); err != nil {
			t.Error(err)
		}
		if !strings.Contains(shown.String(), "waiting") {
			t.Error("nothing had to be brought back, or it was not waited for")
		}
	})
	t.Run("what is not ready in time is explained", func(t *testing.T) { testLate(t, o) })
}

// options give the demo a sandbox of the test's own.
func options(t *testing.T) demo.Options {
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
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	log.SetLogger(logr.Discard())
	t.Setenv("DEMARC_STATE", t.TempDir())
	t.Cleanup(func() {
		if err := sandbox.Down(context.Background(), "test", false); err != nil {
			t.Error(err)
		}
	})
	return demo.Options{Name: "test", Root: root}
}

func testAgain(t *testing.T, s *sandbox.Sandbox, o demo.Options) {
	before := settled(t, s)
	began := time.Now()
	if err := demo.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Logf("the second run took %s", time.Since(began).Round(time.Second))
	if diff := cmp.Diff(before, versions(t, s)); diff != "" {
		t.Errorf("resource versions and processes (-before +after):\n%s", diff)
	}
}

// testNext pastes what the demo shows under its last heading, up to how to undo it.
func testNext(t *testing.T, o demo.Options, shown string) {
	_, script, _ := strings.Cut(shown, "==> Try next\n")
	script, _, ended := strings.Cut(script, "# Back to how it was:")
	if !ended || strings.Count(script, "kubectl ") < 3 {
		t.Fatalf("nothing to try:\n%s", script)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-e")
	cmd.Dir, cmd.Stdin = o.Root, strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	if want := "unpullable.invalid/catalog:2"; !strings.Contains(string(out), want) {
		t.Errorf("%q is not in what was said", want)
	}
}

const unpullable = `apiVersion: demarc.dev/v1alpha1
kind: ServiceClaim
metadata: {name: refunds}
spec: {team: payments, image: "unpullable.invalid/refunds:1"}
`

// testLate runs a checkout that differs in its examples only.
func testLate(t *testing.T, o demo.Options) {
	entries, err := os.ReadDir(o.Root)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, e := range entries {
		if e.Name() != "examples" {
			err = errors.Join(err, os.Symlink(filepath.Join(o.Root, e.Name()), filepath.Join(root, e.Name())))
		}
	}
	err = errors.Join(err, os.Mkdir(filepath.Join(root, "examples"), 0o700))
	err = errors.Join(err, os.WriteFile(filepath.Join(root, "examples", "late.yaml"), []byte(unpullable), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	var shown bytes.Buffer
	o.Root, o.Timeout, o.Out = root, 10*time.Second, io.MultiWriter(&shown, t.Output())
	if err := demo.Run(t.Context(), o); !errors.Is(err, demo.ErrNotReady) {
		t.Fatalf("error %v, want %v", err, demo.ErrNotReady)
	}
	_, explained, _ := strings.Cut(shown.String(), "==> Not Ready after 10s")
	for _, want := range []string{
		"serviceclaim/refunds", "ImagePullFailed: ", "no such host", "Next, team: correct the image", "last words",
	} {
		if !strings.Contains(explained, want) {
			t.Errorf("%q is not in what is explained:\n%s", want, explained)
		}
	}
}

// settled waits until two looks in a row, a second apart, find the same.
func settled(t *testing.T, s *sandbox.Sandbox) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for last := versions(t, s); ; {
		select {
		case <-ctx.Done():
			t.Fatal("the cluster does not come to rest")
		case <-time.After(time.Second):
		}
		now := versions(t, s)
		if maps.Equal(last, now) {
			return now
		}
		last = now
	}
}

// beats change without anybody's doing: leases are renewed, events come and go, Argo CD notes when it compared last.
var beats = map[string]bool{"leases": true, "events": true, "applications": true}

// versions lists the resource version of everything in the cluster, and each process of the sandbox.
func versions(t *testing.T, s *sandbox.Sandbox) map[string]string {
	t.Helper()
	config, err := s.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.WarningHandler = rest.NoWarnings{} // of old kinds that are listed like all others
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	client := dynamic.NewForConfigOrDie(config)
	found := map[string]string{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			if !beats[r.Name] && strings.Contains(strings.Join(r.Verbs, " "), "list") {
				add(t, client, version.WithResource(r.Name), found)
			}
		}
	}
	components, err := s.Components()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range components {
		found["process "+c.Name] = strconv.Itoa(c.Process.PID)
	}
	return found
}

func add(t *testing.T, client dynamic.Interface, kind schema.GroupVersionResource, found map[string]string) {
	t.Helper()
	list, err := client.Resource(kind).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatalf("list %s: %v", kind, err)
	}
	for _, o := range list.Items {
		found[kind.GroupResource().String()+" "+o.GetNamespace()+"/"+o.GetName()] = o.GetResourceVersion()
	}
}
