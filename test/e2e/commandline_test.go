package e2e

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/factory"
)

// runDemarc is demarc as a person starts it; its output is both streams together.
func runDemarc(t *testing.T, who string, args ...string) (code int, output string) {
	t.Helper()
	var out bytes.Buffer
	args = append(args, "--kubeconfig", box.Kubeconfig())
	code = cli.Run(t.Context(), factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &out, ErrOut: &out}), append(args, strings.Fields(who)...))
	return code, out.String()
}

// The command line under the policies of the chart: a team releases its own claims and
// no other's, and force is for who holds it.
func TestCommandLine(t *testing.T) {
	apply(t, tenant("cli-a", roomy), tenant("cli-b", roomy),
		claim("cli-shop", "cli-a", "image: nginx:1.27-alpine"), claim("cli-cart", "cli-a", "image: nginx:1.27-alpine"))
	claimSays(t, "cli-shop", "Ready", "Running")
	claimSays(t, "cli-cart", "Ready", "Running")
	owner, other := as("dev", "cli-a"), as("dev", "cli-b")
	for _, step := range []struct {
		name, who, args string
		code            int
		says            []string
	}{
		{"one's own", owner, "get -o name", 0, []string{"serviceclaim.demarc.dev/cli-cart\nserviceclaim.demarc.dev/cli-shop\n"}},
		{"nothing of one's own", other, "get", 0, []string{"Your team has no claims yet (cli-b); other teams have"}},
		{"another team's claim released", other, "release cli-shop --reason mine --yes", 1, []string{"only who may deploy for team cli-a writes its claims"}},
		{"another team's claim deleted", other, "delete claim/cli-shop --yes", 1, []string{"only who may deploy for team cli-a writes its claims"}},
		{"one's own claim forced", owner, "delete claim/cli-shop --force --reason mine --yes", 1, []string{"it needs the verb force on serviceclaims in namespace team-cli-a; nothing was changed"}},
		{"one's own tenant forced", owner, "delete tenant/cli-a --force --reason mine --yes", 1, []string{"it needs the verb force on tenants; nothing was changed"}},
		{"one's own claim released", owner, "release cli-shop --reason moving --yes", 0, []string{"deployment/cli-shop in team-cli-a", "claim cli-shop is released; Application cli-a.cli-shop stays"}},
		{"one's own claim deleted", owner, "delete claim/cli-cart --yes --timeout 3m", 0, []string{"ApplicationDeleting: ", "claim cli-cart is deleted"}},
		{"the tenant forced", "", "delete tenant/cli-a --force --reason rebuilt --yes --timeout 3m", 0, []string{"- application/cli-a.cli-shop in argocd", "- namespace/team-cli-a", "tenant cli-a is deleted"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			code, out := runDemarc(t, step.who, strings.Fields(step.args)...)
			if code != step.code {
				t.Errorf("it ends with %d, want %d:\n%s", code, step.code, out)
			}
			for _, says := range step.says {
				if !strings.Contains(out, says) {
					t.Errorf("it says\n%s\nwant %q", out, says)
				}
			}
		})
	}
	must(t, "get deployment cli-shop -n team-cli-a")
	// The Tenant made anew finds its space again, and takes it down in order.
	must(t, "delete application cli-a.cli-shop -n argocd --wait=false")
	apply(t, tenant("cli-a", roomy))
	tenantSays(t, "cli-a", "Ready", "TenantReady")
	must(t, "delete tenant cli-a cli-b --wait=false")
	isGone(t, 3*time.Minute, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "cli-a"}})
}
