package contract_test

import (
	"slices"
	"strings"
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// domain of a contract by its name.
func domain(spec *v1alpha1.OwnershipContractSpec, name string) *v1alpha1.ContractDomain {
	i := slices.IndexFunc(spec.Domains, func(d v1alpha1.ContractDomain) bool { return d.Name == name })
	return &spec.Domains[i]
}

// answered gives the three answers that give rights.
func answered(d *v1alpha1.ContractDomain, creates, modifies, deletes v1alpha1.Party) {
	d.Creates, d.Modifies, d.Deletes = creates, modifies, deletes
}

// apart is the shipped contract with ServiceClaims in a domain of their own, which answers
// as before.
func apart() (*v1alpha1.OwnershipContractSpec, *v1alpha1.ContractDomain) {
	spec := contract.Default().Spec.DeepCopy()
	from := domain(spec, "application-deployment")
	i := slices.IndexFunc(from.Resources, func(r v1alpha1.ContractResource) bool { return slices.Contains(r.Kinds, "ServiceClaim") })
	own := from.DeepCopy()
	own.Name, own.Resources = "claims", []v1alpha1.ContractResource{from.Resources[i]}
	from.Resources = slices.Delete(from.Resources, i, i+1)
	spec.Domains = append(spec.Domains, *own)
	return spec, &spec.Domains[len(spec.Domains)-1]
}

// The answers for ServiceClaims are the verb deploy, and what they cannot be is refused.
func TestLintRights(t *testing.T) {
	const team, platform, shared, nobody = v1alpha1.PartyTeam, v1alpha1.PartyPlatform, v1alpha1.PartyShared, v1alpha1.PartyNobody
	for name, c := range map[string]struct {
		edit func(spec *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain)
		want string
	}{
		"as it is shipped": {func(*v1alpha1.OwnershipContractSpec, *v1alpha1.ContractDomain) {}, ""},
		"by Git": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) { d.ChangePath = v1alpha1.PathGit },
			"warning: resources[0].operations.deploy: with changePath git it is Argo CD alone that deploys"},
		"by Git, and nothing is said of deploy": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			d.ChangePath = v1alpha1.PathGit
			delete(d.Resources[0].Operations, "deploy")
		}, ""},
		"by hand, and nothing is said of deploy": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			delete(d.Resources[0].Operations, "deploy")
		}, ""},
		"deploy by nobody": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			d.Resources[0].Operations["deploy"] = v1alpha1.TeamNobody
		}, "resources[0].operations.deploy: by domain claims the team writes ServiceClaims by hand, and deploy is how"},
		"the platform's": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			three(d, platform)
		}, "resources[0].operations.deploy: by domain claims no team writes ServiceClaims, so there is nothing to deploy|" +
			"warning: changePath: it gives the platform's people by hand, everywhere: Demarc's verb deploy. From these"},
		"nobody's": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			three(d, nobody)
		},
			"resources[0].operations.deploy: by domain claims no team writes ServiceClaims"},
		"the platform's, without deploy": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			three(d, platform)
			d.ChangePath = v1alpha1.PathGit
			delete(d.Resources[0].Operations, "deploy")
		}, ""},
		"made by one and changed by another": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			answered(d, platform, team, team)
		}, "modifies: ServiceClaim is in this domain, and who creates, changes or deletes one has a single verb for all three, deploy|warning: changePath: it gives the platform's people by hand, everywhere: Demarc's verb deploy"},
		"deleted by nobody": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) { answered(d, team, team, nobody) },
			"deletes: ServiceClaim is in this domain"},
		"shared in a part": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			answered(d, shared, team, team)
			d.Decision, d.ChangePath = "drift-review", v1alpha1.PathGit
			delete(d.Resources[0].Operations, "deploy")
		}, ""},
		"deploy from operate on": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			d.Resources[0].Operations["deploy"] = v1alpha1.TeamOperate
		}, "resources[0].operations.deploy: the role operate cannot write a ServiceClaim.demarc.dev, so deploy would be no use to it: name edit or nobody"},
		"scaled by view": {func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
			d.Resources[0].Operations["scaleClaim"] = v1alpha1.TeamView
		}, "resources[0].operations.scaleClaim: the role view cannot write a ServiceClaim.demarc.dev, so scaleClaim would be no use to it: name operate, edit or nobody"},
		"a part of a claim": {func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
			d := domain(spec, "security-policies")
			d.Resources = append(d.Resources, v1alpha1.ContractResource{Group: "demarc.dev", Kinds: []string{"ServiceClaim"}, Fields: []string{"spec.image"}})
		}, "resources[7]: ServiceClaim.demarc.dev has no namespace, and admission keeps parts in team namespaces alone"},
		"admission by hand": {func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
			domain(spec, "security-policies").ChangePath = v1alpha1.PathBoth
		}, "warning: changePath: it gives the platform's people by hand, everywhere: writing admission, writing CRDs, writing workloads, settings and access. From these other rights follow"},
		"roles by hand": {func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
			domain(spec, "rbac-platform-roles").ChangePath = v1alpha1.PathCluster
		}, "warning: changePath: it gives the platform's people by hand, everywhere: writing cluster roles. From"},
		"shared pods": {func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
			d := domain(spec, "application-deployment")
			three(d, shared)
			d.Decision = "drift-review"
		}, "warning: changePath: it gives the platform's people by hand, everywhere: writing workloads, settings and access. From"},
		"shared pods in Git": {func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
			d := domain(spec, "application-deployment")
			three(d, shared)
			d.Decision, d.ChangePath = "drift-review", v1alpha1.PathGit
		}, ""},
		"a team's StorageClass": {func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
			three(domain(spec, "storage"), team)
		}, "warning: resources[0].kinds[0]: PersistentVolume has no namespace, and a team's rights are in its own|" +
			"warning: resources[1].kinds[0]: CSIDriver.storage.k8s.io|warning: resources[1].kinds[1]: CSINode|warning: resources[1].kinds[3]: StorageClass|" +
			"warning: resources[1].kinds[4]: VolumeAttachment|warning: resources[1].kinds[5]: VolumeAttributesClass"},
	} {
		t.Run(name, func(t *testing.T) {
			spec, d := apart()
			c.edit(spec, d)
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "|")
			}
			found := contract.Lint(*spec, contract.Parties{})
			if len(found) != len(want) {
				t.Fatalf("it says %d things, want %d: %v", len(found), len(want), found)
			}
			for i, w := range want {
				said := found[i].Message
				if _, path, below := strings.Cut(strings.TrimPrefix(found[i].Path, "spec.domains["), "]."); below {
					said = path + ": " + said
				}
				if found[i].Severity != contract.Refused {
					said = string(found[i].Severity) + ": " + said
				}
				if !strings.HasPrefix(said, w) {
					t.Errorf("it says %q, want %q", said, w)
				}
			}
		})
	}
}
