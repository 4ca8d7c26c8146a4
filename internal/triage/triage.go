// Package triage says why something is down and whose it is: it takes what was read of a
// cluster, or of a dump, and gives out findings, each with its evidence, the failure domain
// that it lies in, who is paged for that by the ownership contract, and the next step.
//
// What was found goes through one road:
//
//	checks → gathered (one cause, one finding) → promoted (shared by several teams)
//	       → folded (symptoms under their root) → owned (by the contract) → findings
package triage

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// Question says how the snapshot is to be read.
type Question struct {
	// Now is the time to compare with; zero is when the snapshot was read.
	Now time.Time
	// Files says that the set was read from files: of a namespace in which nothing of a
	// kind is, that kind was not read.
	Files bool
	// Own says that the operator asks, which does not go by what it wrote itself.
	Own bool
}

// Report is what was found.
type Report struct {
	// Findings are the roots, the gravest first; what follows from one is folded in it.
	Findings []finding.Finding `json:"findings"`
	// Contract that was asked who acts: that of the cluster, or the one that is shipped.
	Contract string `json:"contract"`
	// Unread is what could not be read, or is not what its kind says.
	Unread []snapshot.Unread `json:"unread,omitempty"`
}

// Kinds are what is looked at. Each must be in a set that was read of a cluster, or be noted
// there as unread or unserved: what is none of these counts as not being there. Of Secrets
// the metadata is enough.
var Kinds = []schema.GroupKind{
	podKind, nodeKind, namespaceKind, serviceKind, secretKind, volumeClaimKind, quotaKind, limitRangeKind, coreEvents,
	deploymentKind, replicaSetKind, statefulSetKind, daemonSetKind, jobKind, cronJobKind, sliceKind, ingressKind, ingressClassKind, storageClassKind,
	budgetKind, autoscalerKind, apiServiceKind, definitionKind, validatingKind, mutatingKind, gatewayKind, routeKind,
	certificateKind, issuerKind, clusterIssuerKind, externalKind, storeKind, clusterStoreKind,
	applicationKind, claimKind, tenantKind, contractKind, platformKind,
}

// checks in order; each looks at the world and says what is wrong with it.
var checks = []func(*world) []found{
	nodes, controlPlane, apiServices, webhooks, addons, definitions, namespacesStuck,
	claimsOfVolumes, podsTrouble, refusals, rollouts, statefulSets, daemonSets, jobs, cronJobs, budgets, autoscalers,
	servicesWithout, servicePorts, loadBalancers, ingresses, routes, gateways, certificates, externalSecrets,
	applications, argoCD, claims, tenants, frozen,
}

// Check looks for all that the catalogue knows.
func Check(set *snapshot.Set, q Question) Report {
	w := read(set, q)
	var all []found
	for _, check := range checks {
		all = append(all, check(w)...)
	}
	all = promote(w, gather(heard(w, all)))
	roots := fold(all)
	o := ownersOf(w)
	report := Report{Contract: o.from, Findings: make([]finding.Finding, 0, len(roots)), Unread: append(set.Unread(), w.unread...)}
	for _, r := range roots {
		report.Findings = append(report.Findings, o.finish(all, r))
	}
	finding.Sort(report.Findings)
	return report
}
