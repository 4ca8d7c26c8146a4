// Package e2e runs Demarc as a user does: on a real control plane with a real Argo
// CD, installed from its chart, the operator under its own ServiceAccount.
package e2e

import (
	"os"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/cluster"
)

var (
	on     *cluster.Cluster
	box    *sandbox.Sandbox
	demarc *install.Demarc
	admin  client.Client
)

func TestMain(m *testing.M) {
	os.Exit(cluster.Main(m, "e2e", func(c *cluster.Cluster) {
		on, box, demarc, admin = c, c.Box, c.Demarc, c.Client
	}))
}

// soon is for what takes seconds on an idle machine; a loaded one takes its time.
const soon = 3 * time.Minute

// roomy is a budget that no test uses up.
const roomy = cluster.Roomy

var (
	tenant     = cluster.Tenant
	claim      = cluster.Claim
	eventually = cluster.Eventually
	message    = cluster.Message
	says       = cluster.Says
)

func kubectl(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	return on.Kubectl(t, stdin, args...)
}

func must(t *testing.T, args string) string {
	t.Helper()
	return on.Must(t, args)
}

func apply(t *testing.T, manifests ...string) {
	t.Helper()
	on.Apply(t, manifests...)
}

// claimSays waits for the reason of a claim's condition and returns the claim.
func claimSays(t *testing.T, name, condition, reason string) *v1alpha1.ServiceClaim {
	t.Helper()
	return claimSaysWithin(t, soon, name, condition, reason)
}

func claimSaysWithin(t *testing.T, within time.Duration, name, condition, reason string) *v1alpha1.ServiceClaim {
	t.Helper()
	return on.ClaimSays(t, within, name, condition, reason)
}

func tenantSays(t *testing.T, name, condition, reason string) *v1alpha1.Tenant {
	t.Helper()
	return on.TenantSays(t, soon, name, condition, reason)
}

func isGone(t *testing.T, within time.Duration, o client.Object) {
	t.Helper()
	on.IsGone(t, within, o)
}

func isAbsent(t *testing.T, o client.Object) {
	t.Helper()
	on.IsAbsent(t, o)
}
