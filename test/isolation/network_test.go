package isolation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/test/cluster"
)

// traffic has the form that netpol reads.
type traffic struct {
	Source, Destination peer
	ResolvedPort        int
	ResolvedPortName    string
	Protocol            corev1.Protocol
}

// peer is a pod, or an address outside the pods' network where Internal is nil.
type peer struct {
	Internal *inside
	IP       string
}

type inside struct {
	PodLabels, NamespaceLabels map[string]string
	Namespace                  string
}

var (
	ports     = []int{22, 80, 443, 5432, 8080, 9090, 65535}
	protocols = []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP}
)

// route is a pair of who sends and who receives.
type route struct{ from, to string }

// ways are asked of the live policies; the wanted answers are for a Platform that
// names no namespaces, and for one that names edge and metrics.
var ways = []struct {
	route
	unnamed, named bool
}{
	{route{"another pod of the team", "team"}, true, true},
	{route{"a pod of another team", "team"}, false, false},
	{route{"a pod of another team, labelled like the team's own", "team"}, false, false},
	{route{"the namespace of the ingress controller", "team"}, true, true},
	{route{"the namespace of the monitoring", "team"}, true, true},
	{route{"a namespace that is no team's", "team"}, true, false},
	{route{"kube-system", "team"}, true, false},
	{route{"a node, or outside the cluster", "team"}, false, false},
	{route{"team", "a pod of another team"}, false, false},
	{route{"team", "the namespace of the ingress controller"}, true, true},
	{route{"team", "kube-system"}, true, true},
	{route{"team", "a node, or outside the cluster"}, true, true},
}

const sender = "apiVersion: v1\nkind: Pod\nmetadata: {name: sender, namespace: NS, labels: {app: sender}}\n" +
	"spec: {containers: [{name: x, image: x}]}\n"

// TestNetwork evaluates the live NetworkPolicies. No packet is sent: the sandbox has no
// network. Not parallel: the Platform is changed.
func TestNetwork(t *testing.T) {
	teams(t)
	for _, ns := range []string{"edge", "metrics"} {
		on.Apply(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+ns+"}")
	}
	for _, ns := range []string{"team-rogue", "edge", "metrics", "default", "kube-system"} {
		on.Apply(t, replaced(sender, "NS", ns))
	}
	defer func() {
		names(t, "null")
		settled(t)
	}()

	names(t, "null")
	unnamed := evaluate(t)
	names(t, `{"ingressNamespaces":["edge"],"monitoringNamespaces":["metrics"]}`)
	named := evaluate(t)
	for _, w := range ways {
		if got := unnamed[w.route]; got != say(w.unnamed) {
			t.Errorf("from %s to %s, nothing named: %s, want %s", w.from, w.to, got, say(w.unnamed))
		}
		if got := named[w.route]; got != say(w.named) {
			t.Errorf("from %s to %s, edge and metrics named: %s, want %s", w.from, w.to, got, say(w.named))
		}
	}
	section(t, "isolation.md", "network", networkTable(unnamed, named))

	// What a team may not make would let everybody in: policies only ever add.
	open := &networkingv1.NetworkPolicy{}
	open.Namespace = "team-victim"
	open.Spec = networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{"Ingress"}, Ingress: []networkingv1.NetworkPolicyIngressRule{{}}}
	if got := evaluate(t, open)[route{"a pod of another team", "team"}]; got != "yes" {
		t.Errorf("with an open policy beside Demarc's another team's pod is let in: %s", got)
	}
}

func say(allowed bool) string {
	if allowed {
		return "yes"
	}
	return "no"
}

func networkTable(unnamed, named map[route]string) string {
	var b strings.Builder
	fmt.Fprint(&b, "| from | to | Platform names nothing | Platform names `edge` and `metrics` |\n|---|---|---|---|\n")
	for _, w := range ways {
		from, to := w.from, w.to
		if to == "team" {
			to = "a pod of the team"
		} else {
			from = "a pod of the team"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", from, to, unnamed[w.route], named[w.route])
	}
	var list []string
	for _, p := range ports {
		list = append(list, fmt.Sprint(p))
	}
	fmt.Fprintf(&b, "\nAsked for the ports %s over TCP, UDP and SCTP; each answer is the same for all of them.\n", strings.Join(list, ", "))
	return b.String()
}

// names sets which namespaces the Platform names, and waits until the team's policy
// is made from it.
func names(t *testing.T, network string) {
	t.Helper()
	if out, err := on.Kubectl(t, "", "patch", "platform", "default", "--type=merge", "-p", `{"spec":{"network":`+network+`}}`); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, team := range []string{"victim", "rogue"} {
		cluster.Eventually(t, patience, func(ctx context.Context) error {
			p := &networkingv1.NetworkPolicy{}
			if err := on.Client.Get(ctx, types.NamespacedName{Namespace: "team-" + team, Name: "demarc-isolation"}, p); err != nil {
				return err
			}
			if wanted := network != "null"; strings.Contains(p.String(), "edge") != wanted {
				return fmt.Errorf("the policy of team %s does not go by the Platform yet", team)
			}
			return nil
		})
	}
}

// evaluate asks of every way whether it is open on all ports: yes, no, or on some.
func evaluate(t *testing.T, more ...*networkingv1.NetworkPolicy) map[route]string {
	t.Helper()
	policies := &networkingv1.NetworkPolicyList{}
	if err := on.Client.List(t.Context(), policies); err != nil {
		t.Fatal(err)
	}
	for i := range policies.Items {
		more = append(more, &policies.Items[i])
	}
	peers := peers(t)
	var all []traffic
	for _, w := range ways {
		for _, port := range ports {
			for _, protocol := range protocols {
				all = append(all, traffic{Source: peers[w.from], Destination: peers[w.to], ResolvedPort: port, Protocol: protocol})
			}
		}
	}
	allowed, each := netpol(t, more, all), len(ports)*len(protocols)
	if len(allowed) != len(all) {
		t.Fatalf("%d answers to %d questions", len(allowed), len(all))
	}
	out := map[route]string{}
	for i, w := range ways {
		some := allowed[i*each : (i+1)*each]
		switch {
		case !slices.Contains(some, false):
			out[w.route] = "yes"
		case !slices.Contains(some, true):
			out[w.route] = "no"
		default:
			out[w.route] = "on some ports"
		}
	}
	return out
}
