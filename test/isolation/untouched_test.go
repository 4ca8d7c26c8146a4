package isolation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// restless kinds are written all the time by the cluster itself.
var restless = []string{"componentstatuses", "events", "leases", "nodes", "endpoints", "endpointslices", "ipaddresses", "servicecidrs"}

// watch remembers what is there; the test that calls what it returns fails where
// anything of the platform's or of the attacked team's was written to since, made or deleted.
func watch(t *testing.T) (untouched func()) {
	t.Helper()
	before := belongings(t)
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, belongings(t)); diff != "" {
			t.Errorf("what is not the attacker's changed (-before +after):\n%s", diff)
		}
	}
}

// belongings are the resourceVersions of all objects but those of other teams. Of an
// Application it is the spec: Argo CD writes down when it last looked.
func belongings(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, gvr := range listed(t) {
		list, err := dynamicClient(t).Resource(gvr).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatalf("list %s: %v", gvr, err)
		}
		for _, o := range list.Items {
			if !others(&o) {
				out[gvr.Resource+"."+gvr.Group+" "+o.GetNamespace()+"/"+o.GetName()] = version(&o)
			}
		}
	}
	return out
}

func version(o *unstructured.Unstructured) string {
	if o.GetKind() == "Application" {
		return fmt.Sprint(o.Object["spec"], o.GetLabels(), o.GetFinalizers(), o.GetUID())
	}
	return o.GetResourceVersion() + " " + string(o.GetUID())
}

// others belong to a team that is not the attacked one.
func others(o *unstructured.Unstructured) bool {
	team := o.GetLabels()["demarc.dev/team"]
	if spec, _, _ := unstructured.NestedString(o.Object, "spec", "team"); o.GetKind() == "ServiceClaim" {
		team = spec
	}
	if ns := o.GetNamespace(); team == "" && strings.HasPrefix(ns, "team-") {
		team = strings.TrimPrefix(ns, "team-")
	}
	if o.GetKind() == "Tenant" {
		team = o.GetName()
	}
	// What the platform keeps in the attacker's own namespace is the platform's all the same.
	if team == "rogue" && o.GetLabels()["demarc.dev/owner"] == "tenant.rogue" {
		return o.GetKind() == "ResourceQuota" // its status follows the pods
	}
	return team != "" && team != "victim"
}

// listed are all kinds that can be listed, each in one version.
func listed(t *testing.T) []schema.GroupVersionResource {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(quietly())
	if err != nil {
		t.Fatal(err)
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	found := map[schema.GroupResource]schema.GroupVersionResource{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "list") && !slices.Contains(restless, r.Name) {
				gvr := gv.WithResource(r.Name)
				found[gvr.GroupResource()] = gvr
			}
		}
	}
	return slices.Collect(maps.Values(found))
}

func dynamicClient(t *testing.T) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(quietly())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// quietly connects as administrator and prints no warnings of the server's.
func quietly() *rest.Config {
	config := rest.CopyConfig(on.Config)
	config.WarningHandler = rest.NoWarnings{}
	return config
}
