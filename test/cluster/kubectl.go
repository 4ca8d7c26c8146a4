package cluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Kubectl runs the real kubectl; its output is both streams together.
func (c *Cluster) Kubectl(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(c.Box.BinDir(), "kubectl"), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Box.Kubeconfig())
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// Must is a kubectl call, without quotes, that must succeed.
func (c *Cluster) Must(t *testing.T, args string) string {
	t.Helper()
	out, err := c.Kubectl(t, "", strings.Fields(args)...)
	if err != nil {
		t.Fatalf("kubectl %s: %v: %s", args, err, out)
	}
	return out
}

// Apply is kubectl apply that must succeed.
func (c *Cluster) Apply(t *testing.T, manifests ...string) {
	t.Helper()
	if out, err := c.Kubectl(t, strings.Join(manifests, "\n---\n"), "apply", "-f", "-"); err != nil {
		t.Fatalf("kubectl apply: %v\n%s", err, out)
	}
}

// Roomy is a budget that no test uses up.
const Roomy = `resources: {cpu: "8", memory: 16Gi, pods: 50}`

// Tenant is the manifest of one.
func Tenant(name, spec string) string {
	return "apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: " + name + "}\nspec: {" + spec + "}"
}

// Claim is the manifest of a ServiceClaim.
func Claim(name, team, spec string) string {
	return fmt.Sprintf("apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata: {name: %s}\nspec: {team: %s, %s}", name, team, spec)
}
