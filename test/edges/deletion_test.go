package edges

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/cluster"
)

// Complaint 7 (kro#1067, #1316): a claim goes though its AppProject was deleted by
// force and its Tenant too; what it needs of them is not asked for, or made again.
func TestComplaint07DeletionNeedsNothingThatIsGone(t *testing.T) {
	t.Parallel()
	running(t, "bereft")
	c.Must(t, "annotate appproject team-bereft -n argocd demarc.dev/force=test")
	c.Must(t, "delete appproject team-bereft -n argocd")
	c.Must(t, "delete serviceclaim bereft --timeout=170s")
	c.Must(t, "delete tenant bereft --timeout=170s")
}

// Complaint 8 (kratix#886, #233): what is deleted before anything was made for it
// goes at once. Not parallel: the operator is stopped.
func TestComplaint08DeletedBeforeTheFirstWrite(t *testing.T) {
	start := halted(t, install.Operator)
	c.Apply(t, cluster.Tenant("unborn", cluster.Roomy), cluster.Claim("unborn", "unborn", small))
	c.Must(t, "delete serviceclaim unborn --wait=false")
	c.Must(t, "delete tenant unborn --wait=false")
	start()
	claimGone(t, "unborn")
	tenantGone(t, "unborn")
	for range 2 {
		c.Apply(t, cluster.Tenant("unborn", cluster.Roomy), cluster.Claim("unborn", "unborn", small))
		c.Must(t, "delete tenant unborn --wait=false")
		c.Must(t, "delete serviceclaim unborn --timeout=170s")
		tenantGone(t, "unborn")
	}
	c.IsGone(t, soon, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-unborn"}})
}

// Complaint 9 (HNC#230, accurate#144): what rules would refuse today is deleted all
// the same. Not parallel: the Platform is changed.
func TestComplaint09InvalidObjectsCanBeDeleted(t *testing.T) {
	running(t, "invalid")
	c.Must(t, `patch platform default --type=merge -p {"spec":{"ceiling":{"cpu":"1","memory":"1Gi","pods":1},"claims":{"requireTeamPrefix":true}}}`)
	t.Cleanup(func() { c.Must(t, `patch platform default --type=merge -p {"spec":{"ceiling":null,"claims":null}}`) })
	cluster.Eventually(t, soon, func(context.Context) error { // a policy takes a moment to see it
		if out, err := c.Kubectl(t, cluster.Tenant("above", cluster.Roomy), "create", "--dry-run=server", "-f", "-"); err == nil {
			return fmt.Errorf("not refused yet: %s", out)
		}
		return nil
	})
	c.Must(t, "delete tenant invalid --wait=false")
	c.Must(t, "delete serviceclaim invalid --timeout=170s")
	tenantGone(t, "invalid")
}

const held = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, namespace: team-%s, finalizers: [example.com/hold]}"

// Complaints 10 (provider-kubernetes#440) and 12 (capsule#1875): nothing is made in a
// namespace that goes; its team keeps its access until all else is gone, is told what
// blocks and by whom, and takes it away itself.
func TestComplaint10NothingIsMadeInATerminatingNamespace(t *testing.T) {
	t.Parallel()
	leaving(t, "ending")
	cluster.Eventually(t, soon, func(context.Context) error {
		if out := c.Must(t, "get resourcequotas,limitranges,networkpolicies -n team-ending -o name"); strings.TrimSpace(out) != "" {
			return fmt.Errorf("still there: %s", out)
		}
		return nil
	})
	// What the operator would make again, were it to try, is looked at once more after it had reason to.
	c.Must(t, "annotate tenant ending touched=yes")
	tenantTells(t, "ending", "ClaimsDrained", "NamespaceDeleting", "example.com/hold is for the controller of example.com to take off")
	if out := c.Must(t, "get resourcequotas,limitranges,networkpolicies -n team-ending -o name"); strings.TrimSpace(out) != "" {
		t.Errorf("made again: %s", out)
	}
	c.Must(t, `patch configmap held -n team-ending --type=merge -p {"metadata":{"finalizers":null}}`)
	tenantGone(t, "ending")
}

// leaving is a Tenant that goes, its namespace held by a ConfigMap of the team's.
func leaving(t *testing.T, team string) {
	t.Helper()
	c.Apply(t, cluster.Tenant(team, cluster.Roomy))
	c.TenantSays(t, soon, team, "Ready", "TenantReady")
	c.Apply(t, fmt.Sprintf(held, team))
	c.Must(t, "delete tenant "+team+" --wait=false")
	tenantTells(t, team, "ClaimsDrained", "NamespaceDeleting", "example.com/hold")
}

// Complaint 12 (capsule#1875): the team mends what blocks with its own rights.
func TestComplaint12AccessStaysToTheEnd(t *testing.T) {
	t.Parallel()
	leaving(t, "mending")
	c.Must(t, "get configmap held -n team-mending"+editor("mending"))
	c.Must(t, `patch configmap held -n team-mending --type=merge -p {"metadata":{"finalizers":null}}`+editor("mending"))
	tenantGone(t, "mending")
}

// Complaint 11 (crossplane#5849): no cascade mode takes a Tenant's space before its
// claims.
func TestComplaint11ForegroundKeepsTheOrder(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"background", "foreground", "orphan"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			team := "casc-" + mode
			running(t, team)
			c.Must(t, "delete tenant "+team+" --wait=false --cascade="+mode)
			tenantTells(t, team, "ClaimsDrained", "ClaimsRemain", team)
			deployment(t, team, team)
			c.ClaimSays(t, soon, team, "WorkloadReady", "Running")
			claimMode := mode
			if mode == "orphan" {
				refused(t, "delete serviceclaim "+team+" --cascade=orphan", "demarc release")
				claimMode = "background"
			}
			c.Must(t, "delete serviceclaim "+team+" --timeout=170s --cascade="+claimMode)
			tenantGone(t, team)
			c.IsGone(t, soon, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-" + team}})
		})
	}
}

// Complaint 13 (kubevela#7052, argo-cd#4369): an Application that is gone is no proof;
// what it delivered is looked for. Here Argo CD leaves an object behind because Git
// says Delete=false.
func TestComplaint13GoneMeansGone(t *testing.T) {
	t.Parallel()
	delivers(t, "keeper", web("keeper"),
		"apiVersion: v1\nkind: Service\nmetadata: {name: keeper, annotations: {argocd.argoproj.io/sync-options: Delete=false}}\nspec: {selector: {app: keeper}, ports: [{port: 80}]}")
	c.ClaimSays(t, soon, "keeper", "Ready", "Running")
	c.Must(t, "delete serviceclaim keeper --wait=false")
	claimTells(t, "keeper", "Drained", "ObjectsRemain", "service/keeper (Delete=false)")
	c.IsGone(t, soon, kube.Named(argocd.ApplicationKind, "argocd", "keeper.keeper"))
	// The team decides to keep it: it is no longer the claim's.
	c.Must(t, "annotate service keeper -n team-keeper argocd.argoproj.io/tracking-id-"+editor("keeper"))
	claimGone(t, "keeper")
	c.Must(t, "get service keeper -n team-keeper")
}

// The other way to leave something behind: Argo CD passes over what the project no
// longer permits. Not parallel: Argo CD's settings are changed.
func TestComplaint13AKindNoLongerPermitted(t *testing.T) {
	delivers(t, "narrow", web("narrow"),
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: narrow}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]")
	c.ClaimSays(t, soon, "narrow", "Ready", "Running")
	impersonation := func(value string) {
		c.Must(t, `patch configmap argocd-cm -n argocd --type=merge -p {"data":{"application.sync.impersonation.enabled":"`+value+`"}}`)
	}
	t.Cleanup(func() { impersonation("true") })
	impersonation("false") // then the project lists no Role
	c.TenantSays(t, soon, "narrow", "ProjectReady", "ImpersonationOff")
	c.Must(t, "delete serviceclaim narrow --wait=false")
	claimTells(t, "narrow", "Drained", "ObjectsRemain", "role/narrow")
	c.Must(t, "delete role narrow -n team-narrow"+editor("narrow"))
	claimGone(t, "narrow")
}

// A sync that cannot end does not hold a deletion.
func TestStuckSync(t *testing.T) {
	t.Parallel()
	hook := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: stuck-hook, annotations: {argocd.argoproj.io/hook: PreSync}}\n" +
		"spec: {template: {spec: {restartPolicy: Never, nodeSelector: {never: here}, containers: [{name: x, image: 'busybox:1.37'}]}}}"
	delivers(t, "stuck", web("stuck"), hook)
	claimTells(t, "stuck", "Ready", "WaitingForHook", "Job/stuck-hook")
	c.Must(t, "delete serviceclaim stuck --timeout=170s")
}

// Argo CD is away while a claim is deleted: it waits, names what lives and who would
// act, and goes on when Argo CD is back. Not parallel: Argo CD is stopped.
func TestArgoCDIsAway(t *testing.T) {
	running(t, "waits")
	start := halted(t, argo)
	c.Must(t, "delete serviceclaim waits --wait=false")
	claimTells(t, "waits", "Drained", "ApplicationDeleting", "Argo CD's application controller until what it delivered is gone; still live: deployment/waits")
	start()
	claimGone(t, "waits")
}

// Argo CD's namespace takes every Application with it, so it is not deleted in passing.
func TestArgoCDsNamespaceIsKept(t *testing.T) {
	t.Parallel()
	refused(t, "delete namespace argocd --wait=false", "annotate namespace argocd demarc.dev/allow-deletion=REASON")
}

// All at once: every object of a team is deleted in one go, through every way there is.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	running(t, "atonce")
	done := make(chan struct{})
	calls := []string{
		"delete namespace team-atonce --wait=false", "delete application atonce.atonce -n argocd --wait=false",
		"delete appproject team-atonce -n argocd --wait=false", "delete tenant atonce --wait=false --cascade=foreground",
		"delete serviceclaim atonce --wait=false --cascade=foreground", "delete deployment atonce -n team-atonce --wait=false",
		"delete all --all -n team-atonce --wait=false", "delete resourcequota --all -n team-atonce --wait=false",
	}
	for _, call := range calls {
		go func() {
			defer func() { done <- struct{}{} }()
			_, _ = c.Kubectl(t, "", strings.Fields(call)...) // some are refused: that is the point
		}()
	}
	for range calls {
		<-done
	}
	claimGone(t, "atonce")
	tenantGone(t, "atonce")
	c.IsGone(t, soon, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-atonce"}})
	c.IsGone(t, soon, kube.Named(argocd.ProjectKind, "argocd", "team-atonce"))
}
