package isolation

import "testing"

// holding is a ConfigMap that somebody else's deletion would wait for.
func holding(ownerKind, name, uid, block string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: holding, namespace: team-rogue, finalizers: [rogue.example/held], " +
		"ownerReferences: [{apiVersion: demarc.dev/v1alpha1, kind: " + ownerKind + ", name: " + name + ", uid: " + uid + block + "}]}\n"
}

func podWith(spec string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: team-rogue}\n" +
		"spec: {" + spec + ", containers: [{name: x, image: x}]}\n"
}

const (
	blocks    = ", blockOwnerDeletion: true"
	notOwned  = "an object of a team is not owned by "
	important = "is for what the cluster itself needs, and would push other teams' pods out | priority-class: spec.priorityClassName is system-"
	external  = "use an Ingress, or a Service of type LoadBalancer, since an external IP takes traffic to that address from every node | a Service has no externalIPs"
)

// neighbours are things of the team's own, in its own namespace, that reach others.
var neighbours = []attack{
	{"hold another team's claim for ever", "edit", create, holding("ServiceClaim", "victim", "VICTIMUID", blocks),
		notOwned + "ServiceClaim victim"},
	{"hold another team's Tenant for ever", "edit", create, holding("Tenant", "victim", "TENANTUID", blocks),
		notOwned + "Tenant victim"},
	{"hold a namespace", "edit", create,
		replaced(replaced(holding("Namespace", "team-victim", "x", blocks), "demarc.dev/v1alpha1", "v1"), "holding", "holding-ns"),
		notOwned + "Namespace team-victim"},
	{"push others' pods off a node", "edit", create, podWith("priorityClassName: system-node-critical"), important},
	{"push others' pods out", "edit", create, podWith("priorityClassName: system-cluster-critical"), important},
	{"take the traffic to an address", "edit", create,
		"apiVersion: v1\nkind: Service\nmetadata: {name: x, namespace: team-rogue}\n" +
			"spec: {externalIPs: [192.0.2.1], ports: [{port: 80}]}\n",
		external},
}

func TestAttacksOnNeighbours(t *testing.T) {
	t.Parallel()
	try(t, neighbours)
}

// TestHoldingInTwoSteps: first named as an owner without a hold, then with one.
func TestHoldingInTwoSteps(t *testing.T) {
	t.Parallel()
	teams(t)
	who, known := as("rogue", "edit"), knowledge(t)
	manifest := replaced(known.Replace(holding("ServiceClaim", "victim", "VICTIMUID", "")), "name: holding", "name: stepping")
	if out, err := kubectl(t, who, manifest, "apply", "-f", "-"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		_, _ = on.Kubectl(t, "", "patch", "configmap", "stepping", "-n", "team-rogue", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
		_, _ = on.Kubectl(t, "", "delete", "configmap", "stepping", "-n", "team-rogue")
	})
	out, err := kubectl(t, who, known.Replace(replaced(holding("ServiceClaim", "victim", "VICTIMUID", blocks), "name: holding", "name: stepping")), "apply", "-f", "-")
	if err == nil {
		t.Errorf("it holds now: %s", out)
	}
}
