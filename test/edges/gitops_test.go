package edges

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/sandbox/install"
	"demarc.dev/demarc/test/cluster"
)

// Complaint 22 (crossplane#2121, #7291; HNC PR#321): what Argo CD tracks an owner by is
// never on what the owner makes, or Argo CD would prune it.
func TestComplaint22TrackingIsNotInherited(t *testing.T) {
	t.Parallel()
	url := git(t, "parents", map[string]string{"all.yaml": cluster.Claim("tracked", "tracked", small)})
	c.Apply(t, cluster.Tenant("tracked", cluster.Roomy+", sources: [{repoURL: '"+url+"'}]"))
	c.Must(t, "label tenant tracked app.kubernetes.io/instance=parents")
	c.Must(t, "annotate tenant tracked argocd.argoproj.io/tracking-id=parents:demarc.dev/Tenant:/tracked argocd.argoproj.io/sync-wave=3")
	c.Apply(t, cluster.Claim("tracked-all", "tracked", "source: {repoURL: '"+url+"', targetRevision: main}"))
	c.ClaimSays(t, soon, "tracked", "Ready", "Running")
	for _, kind := range []string{"namespaces team-tracked", "resourcequotas,networkpolicies,serviceaccounts,rolebindings -n team-tracked -l demarc.dev/owner",
		"applications tracked.tracked -n argocd", "appprojects team-tracked -n argocd"} {
		out := c.Must(t, "get "+kind+" -o yaml")
		for _, mark := range []string{"argocd.argoproj.io/tracking-id", "argocd.argoproj.io/sync-wave", "app.kubernetes.io/instance"} {
			if strings.Contains(out, mark) {
				t.Errorf("%s carries %s", kind, mark)
			}
		}
	}
}

// Complaint 23 (capsule#1397, #527): what others write on our objects stays, and what
// Argo CD keeps is not fought over.
func TestComplaint23OthersFieldsStay(t *testing.T) {
	t.Parallel()
	running(t, "shared-fields")
	for _, object := range []string{"namespace team-shared-fields", "application shared-fields.shared-fields -n argocd", "appproject team-shared-fields -n argocd", "tenant shared-fields"} {
		c.Must(t, "label "+object+" theirs=stays")
		c.Must(t, "annotate "+object+" example.com/theirs=stays")
	}
	c.Must(t, `patch appproject team-shared-fields -n argocd --type=merge -p {"spec":{"description":"ours","roles":[{"name":"theirs"}]}}`)
	c.Apply(t, cluster.Tenant("shared-fields", `resources: {cpu: "9", memory: 16Gi, pods: 50}`), cluster.Claim("shared-fields", "shared-fields", small+", replicas: 2"))
	c.ClaimSays(t, soon, "shared-fields", "Ready", "Running")
	cluster.Eventually(t, soon, func(context.Context) error { // ours is put back, theirs stays
		out := c.Must(t, "get appproject team-shared-fields -n argocd -o jsonpath={.spec.description}/{.spec.roles[0].name}")
		if out != "Team shared-fields, kept by Demarc./theirs" {
			return fmt.Errorf("it is %s", out)
		}
		return nil
	})
	for _, object := range []string{"namespace team-shared-fields", "application shared-fields.shared-fields -n argocd", "appproject team-shared-fields -n argocd", "tenant shared-fields"} {
		if out := c.Must(t, "get "+object+" -o jsonpath={.metadata.labels.theirs}"); out != "stays" {
			t.Errorf("%s lost its label: %q", object, out)
		}
	}
}

// Complaint 24 (capsule#1135, #597): Demarc down stops nobody's cluster. Its rules are
// the API server's own, and without the Platform they let system namespaces be. Not
// parallel: the operator is stopped and the Platform taken away.
func TestComplaint24DemarcDownStopsNothing(t *testing.T) {
	running(t, "outage")
	platform := c.Must(t, "get platform default -o yaml")
	start := halted(t, install.Operator)
	c.Must(t, "annotate platform default demarc.dev/allow-deletion=outage")
	c.Must(t, "delete platform default")
	t.Cleanup(func() {
		c.Apply(t, platform)
		start()
		c.ClaimSays(t, soon, "outage", "Ready", "Running")
	})
	for _, args := range []string{
		"create namespace during-outage", "create configmap during-outage -n kube-system", "create configmap during-outage -n team-outage" + editor("outage"),
		"rollout restart deployment outage -n team-outage" + editor("outage"), "delete pods --all -n team-outage --wait=false" + editor("outage"),
		"label node --all during=outage", "create serviceaccount during-outage -n kube-system", "delete namespace during-outage --wait=false",
	} {
		c.Must(t, args)
	}
	// The claim itself can be changed; it is delivered when the operator is back.
	c.Apply(t, cluster.Claim("outage", "outage", small+", replicas: 2"))
}

// Complaint 25 (rancher#35068, capsule#439): no certificate of Demarc's expires, since
// it has none: no webhook, no conversion.
func TestComplaint25NoWebhookNoCertificate(t *testing.T) {
	t.Parallel()
	if out := c.Must(t, "get validatingwebhookconfigurations,mutatingwebhookconfigurations -o name"); strings.TrimSpace(out) != "" {
		t.Errorf("webhooks: %s", out)
	}
	if out := c.Must(t, "get secrets -n "+install.Namespace+" --field-selector type=kubernetes.io/tls -o name"); strings.TrimSpace(out) != "" {
		t.Errorf("certificates: %s", out)
	}
	for _, crd := range []string{"platforms", "tenants", "serviceclaims"} {
		if out := c.Must(t, "get crd "+crd+".demarc.dev -o jsonpath={.spec.conversion.strategy}/{.spec.versions[*].name}"); out != "None/v1alpha1" {
			t.Errorf("%s: conversion and versions are %s", crd, out)
		}
	}
}

// Complaint 28 (kro#743, kubevela#6639): Ready is what runs, and falls back when it
// stops to.
func TestComplaint28ReadyIsProven(t *testing.T) {
	t.Parallel()
	t.Run("nothing rendered", func(t *testing.T) {
		t.Parallel()
		delivers(t, "hollow", "apiVersion: v1\nkind: List\nitems: []")
		c.ClaimSays(t, soon, "hollow", "Ready", "NothingDelivered")
	})
	t.Run("suspended", func(t *testing.T) {
		t.Parallel()
		running(t, "paused")
		c.Must(t, "rollout pause deployment/paused -n team-paused")
		c.ClaimSays(t, soon, "paused", "WorkloadReady", "Suspended")
		c.Must(t, "rollout resume deployment/paused -n team-paused")
		c.ClaimSays(t, soon, "paused", "Ready", "Running")
	})
	t.Run("an image that cannot be had", func(t *testing.T) {
		t.Parallel()
		c.Apply(t, cluster.Tenant("imageless", cluster.Roomy), cluster.Claim("imageless", "imageless", "image: unpullable.invalid/x:1"))
		c.ClaimSays(t, soon, "imageless", "Ready", "ImagePullFailed")
	})
	t.Run("what was proven is in the status", func(t *testing.T) {
		t.Parallel()
		c.Apply(t, cluster.Tenant("proven", cluster.Roomy), cluster.Claim("proven", "proven", small+", replicas: 2"))
		o := c.ClaimSays(t, soon, "proven", "Ready", "Running")
		if r := o.Status.Running; r == nil || r.Image != "nginx:1.27-alpine" || r.Replicas != 2 {
			t.Errorf("it proved %+v", r)
		}
		d := deployment(t, "proven", "proven")
		old := d.UID
		if err := c.Client.Delete(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		cluster.Eventually(t, soon, func(ctx context.Context) error { // it falls back, and Argo CD heals it
			now := &appsv1.Deployment{}
			if err := c.Client.Get(ctx, client.ObjectKeyFromObject(d), now); err != nil || now.UID == old {
				return fmt.Errorf("it is the same, or not there: %v", err)
			}
			return nil
		})
		c.ClaimSays(t, soon, "proven", "Ready", "Running")
	})
}
