package operator_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/testenv"
)

// claimsPolicy puts the chart's policy on claims into the API server, until the test ends.
func claimsPolicy(t *testing.T) {
	t.Helper()
	objects, err := testenv.Chart("demarc-system", "argocd")
	if err != nil {
		t.Fatal(err)
	}
	admitted := func() error { return env.Client.Create(context.Background(), odd("claims-odd"), client.DryRunAll) }
	t.Cleanup(func() { testenv.Eventually(t, admitted) })
	for _, o := range objects {
		if o.GetName() == "demarc-claims" {
			create(t, env, o)
			t.Cleanup(func() { _ = env.Client.Delete(context.Background(), o) })
		}
	}
	testenv.Eventually(t, func() error {
		if err := admitted(); !apierrors.IsForbidden(err) {
			return fmt.Errorf("the policy does not hold yet: %v", err)
		}
		return nil
	})
}

// odd is a claim that the policy lets nobody make: as if it delivered itself.
func odd(name string) *v1alpha1.ServiceClaim {
	c := claim(name, name)
	c.Annotations = map[string]string{"argocd.argoproj.io/tracking-id": name + "." + name + ":demarc.dev/ServiceClaim:/" + name}
	return c
}

// Who writes claims is who the contract says: by hand and by Git, of the team and of the
// platform, on a real API server with the policy on claims.
func TestClaimsFollowTheContract(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	claimsPolicy(t)
	platformPeople(t, "sre")
	people(t, "clm")
	who := map[string]client.Client{
		"edit": person(t, "ana", "team-clm"), "platform": person(t, "bo", "sre"),
		"git": person(t, "system:serviceaccount:team-clm:demarc-deliver", "system:serviceaccounts", "system:serviceaccounts:team-clm"),
	}
	writes := func(want ...string) {
		t.Helper()
		testenv.Eventually(t, func() error {
			for name, c := range who {
				err := c.Create(t.Context(), claim("clm-web", "clm"), client.DryRunAll)
				if may := slices.Contains(want, name); may != (err == nil) || err != nil && !apierrors.IsForbidden(err) {
					return fmt.Errorf("%s makes a claim, and should %v: %v", name, may, err)
				}
			}
			return nil
		})
	}
	writes("edit", "git")

	for _, step := range []struct {
		party v1alpha1.Party
		path  v1alpha1.ChangePath
		may   []string
	}{
		{v1alpha1.PartyTeam, v1alpha1.PathGit, []string{"git"}},
		{v1alpha1.PartyPlatform, v1alpha1.PathBoth, []string{"platform"}},
		{v1alpha1.PartyShared, v1alpha1.PathCluster, []string{"edit", "platform"}},
		{v1alpha1.PartyNobody, v1alpha1.PathBoth, nil},
	} {
		agreed := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: claimsOf(step.party, step.path)}
		create(t, env, agreed)
		t.Cleanup(func() { _ = env.Client.Delete(context.Background(), agreed) })
		writes(step.may...)
		if err := env.Client.Delete(t.Context(), agreed); err != nil {
			t.Fatal(err)
		}
		writes("edit", "git")
	}
}

// claimsOf is the shipped contract with ServiceClaims in a domain of their own.
func claimsOf(party v1alpha1.Party, path v1alpha1.ChangePath) v1alpha1.OwnershipContractSpec {
	spec := contract.Default().Spec.DeepCopy()
	for i := range spec.Domains {
		spec.Domains[i].Resources = slices.DeleteFunc(spec.Domains[i].Resources, func(r v1alpha1.ContractResource) bool { return slices.Contains(r.Kinds, "ServiceClaim") })
	}
	spec.Domains = append(spec.Domains, v1alpha1.ContractDomain{Name: "claims", Creates: party, Modifies: party, Deletes: party, Approves: party, Monitors: party, Paged: party,
		ChangePath: path, Decision: "drift-review", Resources: []v1alpha1.ContractResource{{Group: "demarc.dev", Kinds: []string{"ServiceClaim"}}}})
	return *spec
}
