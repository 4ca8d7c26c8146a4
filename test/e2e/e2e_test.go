// Package e2e runs Demarc as a user does: on a real control plane with a real Argo
// CD, installed from its chart, the operator under its own ServiceAccount.
package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/install"
)

var (
	box    *sandbox.Sandbox
	demarc *install.Demarc
	admin  client.Client
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx := context.Background()
	state, err := os.MkdirTemp("", "demarc-e2e-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(state)
	_ = os.Setenv("DEMARC_STATE", state)
	if box, err = sandbox.Up(ctx, sandbox.Options{Name: "e2e", Out: os.Stderr}); err != nil {
		return fail(err)
	}
	defer func() { _ = box.Down(ctx) }()
	if demarc, err = install.Run(ctx, box, install.Options{Root: filepath.Join("..", ".."), Out: os.Stderr}); err != nil {
		return fail(err)
	}
	config, err := box.RESTConfig()
	if err != nil {
		return fail(err)
	}
	scheme, err := operator.Scheme()
	if err != nil {
		return fail(err)
	}
	if admin, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return fail(err)
	}
	return m.Run()
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "set up the end-to-end sandbox:", err)
	return 1
}

// kubectl runs the real kubectl; its output is both streams together.
func kubectl(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(box.BinDir(), "kubectl"), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+box.Kubeconfig())
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// apply is kubectl apply that must succeed.
func apply(t *testing.T, manifests ...string) {
	t.Helper()
	if out, err := kubectl(t, strings.Join(manifests, "\n---\n"), "apply", "-f", "-"); err != nil {
		t.Fatalf("kubectl apply: %v\n%s", err, out)
	}
}

func tenant(name, spec string) string {
	return "apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: " + name + "}\nspec: {" + spec + "}"
}

// soon is for what takes seconds on an idle machine; a loaded one takes its time.
const soon = 3 * time.Minute

// roomy is a budget that no test uses up.
const roomy = `resources: {cpu: "8", memory: 16Gi, pods: 50}`

func claim(name, team, spec string) string {
	return fmt.Sprintf("apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata: {name: %s}\nspec: {team: %s, %s}", name, team, spec)
}

// eventually polls until check is nil.
func eventually(t *testing.T, within time.Duration, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		if last == nil || ctx.Err() == nil { // else it only says that time is up
			last = err
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %v", within, last)
		case <-tick.C:
		}
	}
}

// claimSays waits for the reason of a claim's condition and returns the claim.
func claimSays(t *testing.T, name, condition, reason string) *v1alpha1.ServiceClaim {
	t.Helper()
	return claimSaysWithin(t, soon, name, condition, reason)
}

func claimSaysWithin(t *testing.T, within time.Duration, name, condition, reason string) *v1alpha1.ServiceClaim {
	t.Helper()
	c := &v1alpha1.ServiceClaim{}
	eventually(t, within, func(ctx context.Context) error {
		if err := admin.Get(ctx, types.NamespacedName{Name: name}, c); err != nil {
			return err
		}
		return says(c.Status.Conditions, c.Generation, condition, reason)
	})
	return c
}

func tenantSays(t *testing.T, name, condition, reason string) *v1alpha1.Tenant {
	t.Helper()
	o := &v1alpha1.Tenant{}
	eventually(t, soon, func(ctx context.Context) error {
		if err := admin.Get(ctx, types.NamespacedName{Name: name}, o); err != nil {
			return err
		}
		return says(o.Status.Conditions, o.Generation, condition, reason)
	})
	return o
}

func says(conditions []metav1.Condition, generation int64, kind, reason string) error {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.Reason != reason || c.ObservedGeneration != generation {
		return fmt.Errorf("%s is %+v, want the reason %s at generation %d", kind, c, reason, generation)
	}
	return nil
}

func message(conditions []metav1.Condition, kind string) string {
	if c := meta.FindStatusCondition(conditions, kind); c != nil {
		return c.Message
	}
	return ""
}

// isGone waits until an object is absent.
func isGone(t *testing.T, within time.Duration, o client.Object) {
	t.Helper()
	eventually(t, within, func(ctx context.Context) error {
		err := admin.Get(ctx, client.ObjectKeyFromObject(o), o)
		if err == nil {
			return fmt.Errorf("%T %s is still there, held by %v", o, o.GetName(), o.GetFinalizers())
		}
		return client.IgnoreNotFound(err)
	})
}

// isAbsent fails where an object is there now.
func isAbsent(t *testing.T, o client.Object) {
	t.Helper()
	err := admin.Get(t.Context(), client.ObjectKeyFromObject(o), o)
	if err == nil {
		t.Fatalf("%T %s is there, held by %v", o, o.GetName(), o.GetFinalizers())
	}
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
}
