package contract_test

import (
	"slices"

	"pgregory.net/rapid"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// party answers.
var party = rapid.SampledFrom([]v1alpha1.Party{v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyShared, v1alpha1.PartyNobody})

// role of a team.
var role = rapid.SampledFrom([]v1alpha1.TeamRole{v1alpha1.TeamView, v1alpha1.TeamOperate, v1alpha1.TeamEdit, v1alpha1.TeamNobody})

// edited is a contract of which some answers were changed.
func edited(t *rapid.T, c *contract.Contract, name string) *contract.Contract {
	spec := c.Spec.DeepCopy()
	for range rapid.IntRange(1, 6).Draw(t, name+" edits") {
		d := &spec.Domains[rapid.IntRange(0, len(spec.Domains)-1).Draw(t, "domain")]
		if rapid.Bool().Draw(t, "of claims") {
			d = claimed(spec)
		}
		switch rapid.IntRange(0, 7).Draw(t, "what") {
		case 0:
			d.Creates = party.Draw(t, "creates")
		case 1:
			d.Modifies = party.Draw(t, "modifies")
		case 2:
			d.Deletes = party.Draw(t, "deletes")
		case 3:
			d.Approves = party.Draw(t, "approves")
		case 4:
			d.ChangePath = rapid.SampledFrom([]v1alpha1.ChangePath{v1alpha1.PathGit, v1alpha1.PathCluster, v1alpha1.PathBoth}).Draw(t, "path")
		case 5:
			all := party.Draw(t, "all three")
			d.Creates, d.Modifies, d.Deletes = all, all, all
		case 6:
			moved(t, spec, d)
		default:
			if len(d.Resources) > 0 {
				resource(t, &d.Resources[rapid.IntRange(0, len(d.Resources)-1).Draw(t, "resource")])
			}
		}
	}
	putRight(claimed(spec))
	return contract.New(*spec)
}

// resource changes from which role on a kind is read, or something else done with it.
func resource(t *rapid.T, r *v1alpha1.ContractResource) {
	if rapid.Bool().Draw(t, "reading") {
		r.Read = role.Draw(t, "read")
		return
	}
	name := rapid.SampledFrom(contract.Operations()).Draw(t, "operation")
	if _, there := r.Operations[name]; there && rapid.Bool().Draw(t, "taken out") {
		delete(r.Operations, name)
		return
	}
	if r.Operations == nil {
		r.Operations = map[string]v1alpha1.TeamRole{}
	}
	r.Operations[name] = role.Draw(t, "from")
}

// claimed is the domain that ServiceClaims are in.
func claimed(spec *v1alpha1.OwnershipContractSpec) *v1alpha1.ContractDomain {
	for i := range spec.Domains {
		for _, r := range spec.Domains[i].Resources {
			if r.Group == "demarc.dev" && slices.Contains(r.Kinds, "ServiceClaim") {
				return &spec.Domains[i]
			}
		}
	}
	return &spec.Domains[0]
}

// moved takes ServiceClaims to another domain, or out of all of them.
func moved(t *rapid.T, spec *v1alpha1.OwnershipContractSpec, to *v1alpha1.ContractDomain) {
	from := claimed(spec)
	for i, r := range from.Resources {
		if r.Group != "demarc.dev" || !slices.Contains(r.Kinds, "ServiceClaim") {
			continue
		}
		from.Resources = slices.Delete(from.Resources, i, i+1)
		if rapid.IntRange(0, 9).Draw(t, "where to") > 0 {
			to.Resources = append(to.Resources, r)
		}
		return
	}
}

// putRight what would be refused, since it could not be held: a team does all with
// ServiceClaims or nothing.
func putRight(d *v1alpha1.ContractDomain) {
	team := func(p v1alpha1.Party) bool { return p == v1alpha1.PartyTeam || p == v1alpha1.PartyShared }
	if team(d.Creates) != team(d.Modifies) || team(d.Creates) != team(d.Deletes) {
		d.Modifies, d.Deletes = d.Creates, d.Creates
	}
}

// turns lead from the shipped contract to another; d is the domain of ServiceClaims.
var turns = map[string]func(*v1alpha1.OwnershipContractSpec, *v1alpha1.ContractDomain){
	"shipped":       func(*v1alpha1.OwnershipContractSpec, *v1alpha1.ContractDomain) {},
	"claims by Git": func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) { d.ChangePath = v1alpha1.PathGit },
	"claims by hand": func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
		d.ChangePath = v1alpha1.PathCluster
	},
	"claims of nobody":  func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) { three(d, v1alpha1.PartyNobody) },
	"claims of both":    func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) { three(d, v1alpha1.PartyShared) },
	"platform's claims": func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) { three(d, v1alpha1.PartyPlatform) },
	"platform's claims, not scaled": func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
		three(d, v1alpha1.PartyPlatform)
		d.Resources[0].Operations = nil
	},
	"claims are not read": func(_ *v1alpha1.OwnershipContractSpec, d *v1alpha1.ContractDomain) {
		d.Resources[0].Read = v1alpha1.TeamNobody
	},
	"no access is asked for or read": func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
		r := &domain(spec, "emergency-access").Resources[0]
		r.Operations, r.Read = nil, v1alpha1.TeamNobody
	},
	"no access is asked for": func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
		domain(spec, "emergency-access").Resources[0].Operations = nil
	},
	"no access is read": func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
		domain(spec, "emergency-access").Resources[0].Read = v1alpha1.TeamNobody
	},
	"platform's workloads": func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
		three(domain(spec, "application-deployment"), v1alpha1.PartyPlatform)
	},
	"nobody's workloads, not restarted": func(spec *v1alpha1.OwnershipContractSpec, _ *v1alpha1.ContractDomain) {
		d := domain(spec, "application-deployment")
		three(d, v1alpha1.PartyNobody)
		for i := range d.Resources {
			d.Resources[i].Operations = nil
		}
	},
}

func three(d *v1alpha1.ContractDomain, p v1alpha1.Party) { d.Creates, d.Modifies, d.Deletes = p, p, p }
