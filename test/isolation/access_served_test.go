package isolation

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// beyond are rights that no discovery tells of.
var beyond = map[schema.GroupResource][]string{
	{Group: "demarc.dev", Resource: "serviceclaims"}:               {"deploy", "scale", "force"},
	{Group: "demarc.dev", Resource: "tenants"}:                     {"deploy", "scale", "force", "contact"},
	{Group: "demarc.dev", Resource: "accessgrants"}:                {"request", "approve"},
	{Group: "demarc.dev", Resource: "budgetrequests"}:              {"request", "approve"},
	{Group: "demarc.dev", Resource: "guardrailexceptions"}:         {"request", "approve"},
	{Group: "rbac.authorization.k8s.io", Resource: "roles"}:        {"bind", "escalate"},
	{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}: {"bind", "escalate"},
	{Resource: "users"}:                                             {"impersonate"},
	{Resource: "groups"}:                                            {"impersonate"},
	{Resource: "serviceaccounts"}:                                   {"impersonate"},
	{Group: "authentication.k8s.io", Resource: "uids"}:              {"impersonate"},
	{Group: "authentication.k8s.io", Resource: "userextras/scopes"}: {"impersonate"},
	{Group: "authentication.k8s.io", Resource: "users"}:             {"impersonate:user-info", "impersonate-on:user-info:get"},
	{Group: "authentication.k8s.io", Resource: "serviceaccounts"}:   {"impersonate:serviceaccount"},
	{Group: "certificates.k8s.io", Resource: "signers"}:             {"approve", "sign", "attest"},
	{Group: "demarc.dev", Resource: "serviceclaims/finalizers"}:     {"update"},
	{Group: "scheduling.k8s.io", Resource: "priorityclasses"}:       {"use"},
	{Group: "admissionregistration.k8s.io", Resource: "policies"}:   {"use"},
}

// served are all rights there are to ask for, and which of the resources have a namespace.
func served(t *testing.T) (rights []right, namespaced map[schema.GroupResource]bool) {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(quietly())
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	all, namespaced := map[right]bool{}, map[schema.GroupResource]bool{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			gr := schema.GroupResource{Group: gv.Group, Resource: r.Name}
			namespaced[gr] = r.Namespaced
			for _, verb := range r.Verbs {
				all[right{gr, verb}] = true
			}
		}
	}
	for gr, verbs := range beyond {
		// These are asked everywhere: deploy is of a namespace, though claims are not.
		namespaced[gr] = true
		for _, verb := range verbs {
			all[right{gr, verb}] = true
		}
	}
	return slices.Collect(maps.Keys(all)), namespaced
}
