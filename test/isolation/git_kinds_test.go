package isolation

import (
	"strings"
	"testing"

	"demarc.dev/demarc/test/cluster"
)

// notTeams are kinds that no team's Git brings, wherever to.
var notTeams = []string{
	"v1 Namespace", "v1 PersistentVolume", "v1 Node", "v1 ResourceQuota", "v1 LimitRange",
	"rbac.authorization.k8s.io/v1 ClusterRole", "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
	"apiextensions.k8s.io/v1 CustomResourceDefinition", "apiregistration.k8s.io/v1 APIService",
	"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding",
	"admissionregistration.k8s.io/v1 MutatingAdmissionPolicy", "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
	"admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
	"networking.k8s.io/v1 NetworkPolicy", "networking.k8s.io/v1 IngressClass",
	"scheduling.k8s.io/v1 PriorityClass", "storage.k8s.io/v1 StorageClass", "flowcontrol.apiserver.k8s.io/v1 FlowSchema",
	"argoproj.io/v1alpha1 Application", "argoproj.io/v1alpha1 AppProject",
	"demarc.dev/v1alpha1 Tenant", "demarc.dev/v1alpha1 Platform",
}

// leftOut are kinds that Argo CD leaves out by itself: it says nothing of them in a sync.
var leftOut = []string{
	"v1 Endpoints", "v1 Event", "discovery.k8s.io/v1 EndpointSlice", "coordination.k8s.io/v1 Lease", "certificates.k8s.io/v1 CertificateSigningRequest",
}

// elsewhere are namespaces that are not the team's.
var elsewhere = []string{"team-victim", "kube-system", "argocd", "demarc-system", "default"}

// strangers are one object of each of those kinds, and one in each of those namespaces.
func strangers() []smuggled {
	var all []smuggled
	for _, k := range notTeams {
		version, kind, _ := strings.Cut(k, " ")
		group, _, _ := strings.Cut(version, "/")
		if !strings.Contains(version, "/") {
			group = ""
		}
		all = append(all, smuggled{
			what: kind, object: kind + "/smuggled",
			manifest: "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: smuggled}\n",
			refused:  "resource " + group + ":" + kind + " is not permitted in project team-rogue",
		})
	}
	for _, ns := range elsewhere {
		all = append(all, smuggled{
			what: "something in " + ns, object: "ConfigMap/into-" + ns,
			manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: into-" + ns + ", namespace: " + ns + "}\n",
			refused:  "namespace " + ns + " is not permitted in project 'team-rogue'",
		})
	}
	return append(all, smuggled{
		what: "a ClusterRole as a hook", object: "ClusterRole/hooked", refused: "is not permitted in project team-rogue",
		manifest: rbac + "kind: ClusterRole\nmetadata: {name: hooked, annotations: {argocd.argoproj.io/hook: PreSync}}\n",
	})
}

// TestGitBringsNothingOfThePlatforms: kinds and namespaces that the AppProject has not.
func TestGitBringsNothingOfThePlatforms(t *testing.T) {
	t.Parallel()
	teams(t)
	untouched := watch(t)
	all := strangers()
	for _, k := range leftOut {
		version, kind, _ := strings.Cut(k, " ")
		all[0].manifest += "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: left-out}\n"
	}
	smuggle(t, "rogue-kinds", all)
	c := on.ClaimSays(t, patience, "rogue-kinds", "Ready", "SyncRetrying")
	if m := cluster.Message(c.Status.Conditions, "Ready"); !strings.Contains(m, "is not permitted in project") || !strings.Contains(m, "Next, team:") {
		t.Errorf("the claim says %q", m)
	}
	for _, k := range leftOut {
		_, kind, _ := strings.Cut(k, " ")
		if out, err := on.Kubectl(t, "", "get", kind, "left-out", "-n", "team-rogue"); err == nil || !strings.Contains(out, "NotFound") {
			t.Errorf("%s: %v: %s", kind, err, out)
		}
	}
	untouched()
}
