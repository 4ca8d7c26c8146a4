package deletion

import (
	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// contractOf is the cluster's contract, or the one that comes with Demarc where the
// cluster has none that can be read as one.
func contractOf(set *snapshot.Set) *contract.Contract {
	if o := set.Get(kindContract, "", v1alpha1.ContractName); o != nil {
		if read, err := snapshot.Into[v1alpha1.OwnershipContract](o); err == nil && len(read.Spec.Domains) > 0 {
			return contract.New(read.Spec)
		}
	}
	return contract.Default()
}

// partyOf is who can act on an object by the contract. That this could not be read
// changes nothing of what holds the object.
func (e *explainer) partyOf(o snapshot.Object) ownership.Party {
	if u, missed := e.set.Missed(kindContract, "", v1alpha1.ContractName); missed {
		e.beyond(u)
	}
	return e.contract.PartyOf(contractual(o))
}
