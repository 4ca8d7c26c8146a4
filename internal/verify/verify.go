// Package verify compares a cluster with the ownership contract: who may do what, who
// holds the whole of it, what is owned by nobody, and whether what was compiled from the
// contract is what is live.
package verify

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/snapshot"
)

// Question says how far to look.
type Question struct {
	// Team narrows personas and spaces to one team; empty is all.
	Team string
	// Files says that the set was read from files: a kind of which nothing is in them
	// was not read.
	Files bool
	// Kinds are those that the cluster serves beside the ones that the contract knows.
	Kinds []contract.Served
	// Probed are requests that were made, with their answers.
	Probed []Probed
}

// Report is what was found.
type Report struct {
	// Contract that was compared with: that of the cluster, or the one that comes with
	// Demarc.
	Contract string `json:"contract"`
	// Cells is how many were compared, Differ how many were not as the contract says.
	Cells  int `json:"cells"`
	Differ int `json:"differ"`
	// Probed is how many requests were made.
	Probed int `json:"probed,omitempty"`
	// Personas that were asked for.
	Personas []string          `json:"personas,omitempty"`
	Findings []finding.Finding `json:"findings"`
	// Unread is what could not be read.
	Unread []snapshot.Unread `json:"unread,omitempty"`
}

// Found says whether something is to be done.
func (r Report) Found() bool { return slices.ContainsFunc(r.Findings, finding.Finding.Counts) }

// Check compares.
func Check(set *snapshot.Set, q Question) Report {
	f := read(set, q)
	v := newVerifier(f)
	if len(f.faults) > 0 {
		v.contradicts()
	}
	v.compiled()
	v.cells()
	v.powers()
	v.strays()
	v.aggregations()
	v.owners()
	v.compareProbes()
	v.together()
	v.report.Unread = f.unread()
	v.report.Findings = slices.DeleteFunc(v.report.Findings, func(one finding.Finding) bool { return f.isUnread(one.Object) })
	finding.Sort(v.report.Findings)
	return v.report
}

type verifier struct {
	*facts
	// want is RBAC as it should be: what is rendered is asked, and no second list.
	want *rbac.World
	// should are all objects that are compiled, installed, or given to everybody.
	should map[finding.Object]bool
	// team are the rules of all that a team has.
	team []rbacv1.PolicyRule
	// fixes are the mends of objects that differ from what was compiled.
	fixes map[finding.Object]finding.Mend
	// leaving are subjects that are to go, by binding; alone are the commands for one of them.
	leaving map[*rbac.Binding][]int
	alone   map[string]leaving
	report  Report
}

func newVerifier(f *facts) *verifier {
	return &verifier{
		facts: f, want: &rbac.World{}, should: map[finding.Object]bool{}, fixes: map[finding.Object]finding.Mend{},
		leaving: map[*rbac.Binding][]int{}, alone: map[string]leaving{},
		report: Report{Contract: f.source, Findings: []finding.Finding{}},
	}
}

// add puts a finding in, with what its check says of all of them.
func (v *verifier) add(f finding.Finding) {
	of := contract.Object{GroupKind: kindOf(f.Object), Name: f.Object.Name}
	if live := v.set.Get(kindOf(f.Object), f.Object.Namespace, f.Object.Name); live != nil {
		of.Labels = live.GetLabels()
	}
	if domain := v.contract.Of(of); domain != nil && f.Domain == "" {
		f.Domain = domain.Name
	}
	if f.Owner == "" {
		f.Owner = v.contract.PartyOf(of)
	}
	if f.Owner == v1alpha1.PartyTeam && f.Object.Namespace != "" && v.teamOf(f.Object.Namespace) == nil {
		f.Owner = v1alpha1.PartyPlatform // the namespace is no team's
	}
	f.Docs = Docs(f.ID)
	v.report.Findings = append(v.report.Findings, f)
}

func (v *verifier) contradicts() {
	v.add(finding.Finding{ID: Contradicts, Severity: finding.Error, Object: object(contracts, "", "default"),
		Message:  fmt.Sprintf("the contract contradicts itself, so the one before still holds, and is what is compared with: %s", v.faults[0]),
		Evidence: faultsAsEvidence(v.faults),
		Mend:     finding.Mend{Says: "mend it: demarc contract lint says what is wrong, line by line; then run this again"}})
}

func faultsAsEvidence(faults []string) (list []finding.Evidence) {
	for _, f := range faults {
		list = append(list, finding.Evidence{Object: object(contracts, "", "default"), Value: f})
	}
	return list
}
