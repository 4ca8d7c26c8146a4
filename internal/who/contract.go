package who

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	contracts    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "OwnershipContract"}
	platforms    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	tenants      = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	claims       = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	namespaces   = schema.GroupKind{Kind: "Namespace"}
	applications = argocd.ApplicationKind.GroupKind()
)

// contractOf is the contract in the snapshot, or the one that comes with Demarc, and why.
func contractOf(r *reader, from From) (*contract.Contract, Contract) {
	shipped := Contract{Source: "shipped"}
	if o := r.get(Ref{contracts, "", v1alpha1.ContractName}); o != nil {
		read, err := snapshot.Into[v1alpha1.OwnershipContract](o)
		if err == nil && len(read.Spec.Domains) > 0 {
			return contract.New(read.Spec), Contract{Source: string(from), Pending: read.Status.ObservedGeneration < read.Generation, Faults: faults(read)}
		}
		shipped.Why = "OwnershipContract default cannot be read as one: demarc contract lint says what is wrong with it"
		return contract.Default(), shipped
	}
	_, missed := r.set.Missed(contracts, "", v1alpha1.ContractName)
	switch {
	case from == FromNothing:
		shipped.Why = "no cluster was asked"
	case from == FromFiles:
		shipped.Why = "OwnershipContract default is not in the files"
	case missed:
		shipped.Why, shipped.Unread = "OwnershipContract default could not be read: the cluster may have one that differs", true
	case !r.set.Serves(contracts):
		shipped.Why = "the cluster does not know OwnershipContracts"
	default:
		shipped.Why = "the cluster has no OwnershipContract default"
	}
	return contract.Default(), shipped
}

// faults are why the operator does not take a contract: then what it made of the one
// before still holds. What the operator itself says of this version counts.
func faults(o *v1alpha1.OwnershipContract) (list []string) {
	said := meta.FindStatusCondition(o.Status.Conditions, readiness.Valid)
	if said != nil && said.ObservedGeneration != o.Generation {
		said = nil
	}
	if said != nil && said.Status == metav1.ConditionTrue {
		return nil
	}
	for _, p := range contract.Lint(o.Spec, contract.Parties{}) {
		if p.Severity == contract.Refused {
			list = append(list, p.Path+": "+p.Message)
		}
	}
	if said != nil && said.Status == metav1.ConditionFalse && len(list) == 0 {
		list = append(list, said.Message)
	}
	return list
}

// describe is a domain as an answer shows it.
func (d *decision) describe(domain *v1alpha1.ContractDomain) Domain {
	shown := Domain{Name: domain.Name, Title: domain.Title, Boundary: domain.Boundary, ChangePath: domain.ChangePath, Decision: domain.Decision,
		Unlisted: d.answer.Domain.Unlisted}
	if shown.ChangePath == "" {
		shown.ChangePath = v1alpha1.PathGit
	}
	for _, way := range d.contract.Spec.Decisions {
		if way.Name == domain.Decision {
			shown.DecisionHow = way.How
		}
	}
	return shown
}

// decoded is an object as its type; what is not of its type is said.
func decoded[T any](d *decision, o snapshot.Object) *T {
	into, err := snapshot.Into[T](o)
	if err != nil {
		d.note("%s %s is not what its kind says: %v.", o.GetKind(), o.GetName(), err)
		return nil
	}
	return into
}
