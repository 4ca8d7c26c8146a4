package guardrail

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/guardrail"
)

// What was too much before may become less, and not more; what was wrong before does not
// become wrong in another way.
func TestWorse(t *testing.T) {
	for _, c := range []struct {
		rule, from   string
		passes, more string
	}{
		{"request-max", "cpu: 64", "cpu: 32", "cpu: 65"},
		{"request-max", "cpu: 64", "cpu: 64000m", "cpu: 64001m"},
		{"limit-ratio", "cpu: 2,", "cpu: 1,", "cpu: 3,"},
		{"grace-period", "terminationGracePeriodSeconds: 3600", "terminationGracePeriodSeconds: 3000", "terminationGracePeriodSeconds: 3601"},
		{"replica-max", "replicas: 200", "replicas: 199", "replicas: 201"},
		{"hpa-max", "maxReplicas: 1000", "maxReplicas: 900", "maxReplicas: 1001"},
		{"image-registry", "web:1.4", "web:1.4", "web:1.5"},
		{"image-tag", "shop/web", "shop/web", "shop/web:latest"},
		{"host-path", "/var/lib/data", "/var/lib/data", "/"},
		{"capabilities", "[SYS_ADMIN]", "[SYS_ADMIN]", "[SYS_ADMIN, NET_ADMIN]"},
		{"ingress-host", "host: shop.example.evil.com", "host: shop.example.evil.com", "host: other.evil.com"},
		{"foreign-host", "host: www.theirs.example", "host: www.theirs.example", "host: shop.theirs.example"},
		{"service-type", "LoadBalancer", "LoadBalancer", "NodePort"},
		{"external-ips", "[192.0.2.7]", "[192.0.2.7]", "[192.0.2.7, 192.0.2.8]"},
		{"role-wildcards", "verbs: [get]", "verbs: [get]", "verbs: [get, delete]"},
		{"team-label", "team: payments", "team: payments", "team: shop"},
	} {
		t.Run(c.rule+" "+c.more, func(t *testing.T) {
			t.Parallel()
			r, _ := guardrail.Find(c.rule)
			if strings.Count(r.Bad, c.from) != 1 {
				t.Fatalf("the bad example has not one %q", c.from)
			}
			bad := example(t, r.Bad)
			before(t, c.rule, bad)
			to := func(text string) func(*unstructured.Unstructured) {
				return becomes(example(t, strings.Replace(r.Bad, c.from, text, 1)))
			}
			if err := change(t, bad, to(c.passes), client.DryRunAll); err != nil {
				t.Errorf("%s: %v", c.passes, err)
			}
			if err := change(t, bad, to(c.more), client.DryRunAll); !refusedBy(c.rule, err) {
				t.Errorf("%s: %v", c.more, err)
			}
		})
	}
}
