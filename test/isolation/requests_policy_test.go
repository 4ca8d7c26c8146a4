package isolation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// refusals are what RBAC allows and something else refuses: what was asked for and by
// what it is refused, then who asked with which verbs.
type refusals map[[2]string]map[string][]string

func (r refusals) add(what, verb, who string, got answer) {
	if got.policy == "" {
		return
	}
	key := [2]string{what, got.policy}
	if r[key] == nil {
		r[key] = map[string][]string{}
	}
	if !slices.Contains(r[key][who], verb) {
		r[key][who] = append(r[key][who], verb)
	}
}

// table has a row for those who asked with the same verbs.
func (r refusals) table() string {
	var b strings.Builder
	fmt.Fprint(&b, "| what | verbs | who | refused by |\n|---|---|---|---|\n")
	for _, key := range slices.SortedFunc(maps.Keys(r), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }) {
		var order []string
		who := map[string][]string{}
		for _, p := range personas {
			if verbs := strings.Join(slices.Sorted(slices.Values(r[key][p.name])), ", "); verbs != "" {
				if who[verbs] == nil {
					order = append(order, verbs)
				}
				who[verbs] = append(who[verbs], p.name)
			}
		}
		for _, verbs := range order {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", key[0], verbs, strings.Join(who[verbs], ", "), key[1])
		}
	}
	return b.String()
}

// shareKinds are those of which the platform keeps objects in a team's namespace.
var shareKinds = []schema.GroupVersionResource{
	{Version: "v1", Resource: "limitranges"}, {Version: "v1", Resource: "resourcequotas"}, {Version: "v1",
		Resource: "serviceaccounts"},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}, {Group: "rbac.authorization.k8s.io",
		Version: "v1", Resource: "rolebindings"},
}

// platformsKept asks to change and to delete each object that the platform keeps in the
// namespace. Nobody may, for want of a right or by policy.
func platformsKept(t *testing.T, barred refusals) {
	t.Helper()
	asked := 0
	for _, gvr := range shareKinds {
		list, err := dynamicClient(t).Resource(gvr).Namespace(home).List(t.Context(), metav1.ListOptions{LabelSelector: "demarc.dev/owner"})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			for _, p := range personas {
				for _, verb := range []string{"update", "patch", "delete", "deletecollection"} {
					got, err := of(ask(t.Context(), within(acting(t, p), gvr, home), verb, &o, nil))
					if err != nil || got.allowed {
						t.Errorf("%s: %s %s/%s: %+v, %v", p.name, verb, gvr.Resource, o.GetName(), got, err)
					}
					barred.add("`"+gvr.GroupResource().String()+"` that the platform keeps", verb, p.name, got)
					asked++
				}
			}
		}
	}
	if asked < 8*len(personas)*4 {
		t.Errorf("only %d requests: the platform keeps at least eight objects", asked)
	}
}

// contents are objects of kinds that edit and Git write, which a policy refuses for what
// is in them.
var contents = []struct {
	what, manifest string
	// either are the policies that refuse it, where there are several: the API server
	// names one of them, and not always the same.
	either []string
}{
	{"a Secret that asks for an account's token", tokenSecret("x"), nil},
	{"a pod as Argo CD's account", podOf("x", "serviceAccountName: demarc-deliver, ", ""), nil},
	{"a pod with the host's files, network or ports, or privileged", podOf("x", "hostNetwork: true, ", ""), nil},
	{"a pod of a `system-` priority class", podOf("x", "priorityClassName: system-node-critical, ", ""), []string{"`demarc-priority`", "`demarc-rule-priority-class`"}},
	{"a Service with external IPs",
		"apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {externalIPs: [192.0.2.1], ports: [{port: 80}]}\n", []string{"`demarc-boundary`", "`demarc-rule-external-ips`"}},
	{"an account with a mark of Demarc's",
		"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x, labels: {demarc.dev/owner: tenant.access}}\n", nil},
	{"an object that the deletion of something cluster-wide would wait for", "apiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: x, ownerReferences: [{apiVersion: demarc.dev/v1alpha1, kind: Tenant, name: stranger, uid: x, blockOwnerDeletion: true}]}\n", nil},
	{"a RoleBinding for people, or for accounts of other namespaces", bindingOf("x", "kind: Role, name: sample", foreign), []string{"`demarc-bindings`", "`demarc-rule-binding-subjects`"}},
	{"a RoleBinding to what Argo CD's account may",
		bindingOf("x", "kind: ClusterRole, name: 'demarc:deliver'", "kind: ServiceAccount, name: sample, namespace: team-access"), nil},
	{"a Role with more than one has", roleOf("x", "apiGroups: [''], resources: [nodes], verbs: [get]"), nil},
	{"a claim with what looks like a secret", "apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata: {name: access-x}\n" +
		"spec: {team: access, image: 'x:1', env: [{name: DB_PASSWORD, value: hunter2}]}\n", nil},
	{"a claim with finalizers, owners or marks of Demarc's", claimOf("name: access-x, finalizers: [x.example/y]", "access"), nil},
}

// contentsRefused asks for each of them, as who may write the kind.
func contentsRefused(t *testing.T, barred refusals) {
	t.Helper()
	for _, c := range contents {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(c.manifest), &o.Object); err != nil {
			t.Fatal(err)
		}
		gvr, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		ns := home
		if o.GetKind() == "ServiceClaim" {
			ns = ""
		}
		for _, p := range personas[2:4] {
			got, err := of(ask(t.Context(), within(acting(t, p), gvr, ns), "create", nil, o))
			if err != nil || got.policy == "" {
				t.Errorf("%s: %s: %+v, %v; want a policy to refuse it", p.name, c.what, got, err)
			}
			if c.either != nil {
				if !slices.Contains(c.either, got.policy) {
					t.Errorf("%s: %s is refused by %s, want one of %v", p.name, c.what, got.policy, c.either)
				}
				got.policy = strings.Join(c.either, " or ")
			}
			barred.add(c.what, "create", p.name, got)
		}
	}
}
