package contract

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

// rights looks at answers that would compile to no right, or to more than they say.
func (l *lint) rights() {
	for i := range l.spec.Domains {
		d, path := &l.spec.Domains[i], fmt.Sprintf("spec.domains[%d]", i)
		for j := range d.Resources {
			r, at := &d.Resources[j], fmt.Sprintf("%s.resources[%d]", path, j)
			if narrows(r) {
				continue
			}
			if r.Group == claim[0].Group && slices.Contains(r.Kinds, claim[0].Kind) {
				l.claims(path, at, d, r)
			}
			l.unreached(at, d, r)
		}
	}
}

// writing are the answers that give rights.
func writing(d *v1alpha1.ContractDomain) []answer {
	return []answer{{"creates", d.Creates}, {"modifies", d.Modifies}, {"deletes", d.Deletes}}
}

// claims looks at the answers for ServiceClaims, which have no namespace: what a team may
// do with them is the verb deploy, and there is one for all.
func (l *lint) claims(path, at string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource) {
	team, hand := has(v1alpha1.PartyTeam), writes(d, has(v1alpha1.PartyTeam), v1alpha1.PathCluster)
	role, named := r.Operations[deploys], at+".operations."+deploys
	for _, a := range writing(d) {
		if team(a.party) != team(d.Creates) && isParty(a.party) && isParty(d.Creates) {
			l.refuse(path+"."+a.field, "ServiceClaim is in this domain, and who creates, changes or deletes one has a single verb for all three, deploy: "+
				"let the three say the same of the team; what somebody else is to agree to is said by approves, with changePath git")
			return
		}
	}
	switch {
	case role == v1alpha1.TeamEdit && !team(d.Creates):
		l.refuse(named, "by domain %s no team writes ServiceClaims, so there is nothing to deploy: take it out, or answer team", d.Name)
	case role == v1alpha1.TeamEdit && !hand.Any():
		l.warn(named, "with changePath git it is Argo CD alone that deploys, as the team's account: take it out, or set changePath to both")
	case role == v1alpha1.TeamNobody && hand.Any():
		l.refuse(named, "by domain %s the team writes ServiceClaims by hand, and deploy is how: name edit, or set changePath to git", d.Name)
	}
}

func isParty(p v1alpha1.Party) bool {
	switch p {
	case v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyShared, v1alpha1.PartyNobody:
		return true
	default:
		return false
	}
}

// unreached warns of kinds without a namespace that would be a team's to write: its
// rights are those in its own, and Argo CD's account has no others.
func (l *lint) unreached(path string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource) {
	if !writes(d, has(v1alpha1.PartyTeam), "").Any() {
		return
	}
	for i, kind := range r.Kinds {
		gk := schema.GroupKind{Group: r.Group, Kind: kind}
		k, _ := ServedKind(gk)
		if _, asked := r.Operations[asks]; k.Cluster && !k.Asked && !asked && !slices.Contains(claim, gk) {
			l.warn(fmt.Sprintf("%s.kinds[%d]", path, i), "%s has no namespace, and a team's rights are in its own: neither its people nor its Git get one on it; answer platform, or nobody", gk)
		}
	}
}
