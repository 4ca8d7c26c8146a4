package isolation

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// inRogue puts a manifest's metadata, which end its first line with a brace, into the namespace.
func inRogue(manifest string) string {
	return strings.Replace(manifest, "}\n", ", namespace: team-rogue}\n", 1)
}

// rights are ways to more of them.
var rights = []attack{
	{"a token of one's own account", "edit", "create token default -n team-rogue", "",
		`cannot create resource "serviceaccounts/token"`},
	{"a token of Argo CD's account", "edit", "create token demarc-deliver -n team-rogue", "",
		`cannot create resource "serviceaccounts/token"`},
	{"a token of the operator's", "edit", "create token demarc-operator -n demarc-system", "",
		`cannot create resource "serviceaccounts/token"`},
	{"a Secret that asks for a token", "edit", create,
		strings.Replace(tokenSecret("x"), "name: x", "name: x, namespace: team-rogue", 1),
		"Secrets with a ServiceAccount's token are not made in team namespaces"},
	{"to be an administrator", "pipeline", "get secrets -A --as=admin --as-group=system:masters", "", "cannot impersonate"},
	{"to be in the administrators' group", "pipeline",
		"get secrets -A --as=system:serviceaccount:ci:rogue --as-group=system:masters", "", "cannot impersonate"},
	{"to be of another team", "pipeline",
		"get secrets -n team-victim --as=edit@victim.example --as-group=people:victim:edit", "", "cannot impersonate"},
	{"to be Argo CD's account", "pipeline",
		"get secrets -n team-rogue --as=system:serviceaccount:team-rogue:demarc-deliver", "", "cannot impersonate"},
	{"to be the operator", "pipeline", "get tenants --as=system:serviceaccount:demarc-system:demarc-operator", "",
		"cannot impersonate"},
	{"a Role with more than one has", "edit", create,
		inRogue(roleOf("x", "apiGroups: [''], resources: [nodes], verbs: [get]")), escalation},
	{"a Role with escalate", "edit", create,
		inRogue(roleOf("x", "apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate, bind]")),
		escalation},
	{"a Role with the verb force", "edit", create,
		inRogue(roleOf("x", "apiGroups: [demarc.dev], resources: [serviceclaims], verbs: [force]")), escalation},
	{"a binding to cluster-admin", "edit", create,
		inRogue(bindingOf("x", "kind: ClusterRole, name: cluster-admin", ownAccount)), escalation},
	{"a binding to admin", "edit", create, inRogue(bindingOf("x", "kind: ClusterRole, name: admin", ownAccount)), escalation},
	{"a binding of oneself to what Argo CD may", "edit", create,
		inRogue(bindingOf("x", "kind: ClusterRole, name: 'demarc:deliver'", "apiGroup: rbac.authorization.k8s.io, kind: User, name: edit@rogue.example")),
		"demarc:deliver is given by Demarc alone"},
	{"a binding of another team's people", "edit", create, inRogue(bindingOf("x", "kind: Role, name: reader", foreign)),
		ownBinds + "Group people:victim:edit"},
	{"a binding of a friend to demarc:edit", "edit", create,
		inRogue(bindingOf("x", "kind: ClusterRole, name: 'demarc:edit'", "apiGroup: rbac.authorization.k8s.io, kind: User, name: friend")),
		"demarc:edit is given by Demarc alone"},
	{"a ClusterRole", "edit", create,
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: rogue}\n",
		`cannot create resource "clusterroles"`},
	{"a ClusterRole that joins Kubernetes' own", "edit", create,
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n" +
			"metadata: {name: rogue, labels: {rbac.authorization.k8s.io/aggregate-to-view: 'true'}}\n",
		`cannot create resource "clusterroles"`},
	{"a ClusterRoleBinding", "edit",
		"create clusterrolebinding rogue --clusterrole=cluster-admin --user=edit@rogue.example", "",
		`cannot create resource "clusterrolebindings"`},
	{"the role of one's own made stronger", "edit", "PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/demarc:edit",
		`{"rules":[]}`, `cannot patch resource "clusterroles"`},
}

func TestAttacksOnRights(t *testing.T) {
	t.Parallel()
	try(t, rights)
}

// pipeline is an account of the attacker's team with the role edit, with a token of
// its own: who acts through --as already cannot show that it may not.
func pipeline(t *testing.T) persona {
	t.Helper()
	c, err := kubernetes.NewForConfig(on.Config)
	if err != nil {
		t.Fatal(err)
	}
	token, err := c.CoreV1().ServiceAccounts("ci").CreateToken(context.Background(), "rogue", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ca := rest.CopyConfig(on.Config)
	if err := rest.LoadTLSFiles(ca); err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: ca.Host, CertificateAuthorityData: ca.CAData}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return persona{name: "pipeline", kubeconfig: path}
}
