package triage

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

// owners asks the contract who is paged for a domain, and the Tenant or the Platform who
// that is.
type owners struct {
	*world
	contract *contract.Contract
	// from says which contract that is.
	from string
	// reached are the contacts of each side, read once.
	reached map[string]string
}

// The contracts that may have been asked.
const (
	// FromCluster is the cluster's own.
	FromCluster = "cluster"
	// Shipped is the one that comes with Demarc: the cluster has none, it could not be read, or
	// it contradicts itself, so that the operator does not take it.
	Shipped = "shipped"
)

func ownersOf(w *world) owners {
	if o := w.set.Get(contractKind, "", v1alpha1.ContractName); o != nil {
		if read, err := snapshot.Into[v1alpha1.OwnershipContract](o); err == nil && len(read.Spec.Domains) > 0 && taken(read) {
			return owners{w, contract.New(read.Spec), FromCluster, map[string]string{}}
		}
	}
	return owners{w, contract.Default(), Shipped, map[string]string{}}
}

// taken says that the operator goes by a contract: it refuses one that contradicts itself, and
// says so in its condition. One that it has not looked at yet is taken.
func taken(o *v1alpha1.OwnershipContract) bool {
	c := meta.FindStatusCondition(o.Status.Conditions, readiness.Valid)
	return c == nil || c.Status != metav1.ConditionFalse || c.ObservedGeneration != o.Generation
}

// finish makes a finding of what was found, and of what follows from it.
func (o owners) finish(all []found, r root) finding.Finding {
	f := o.own(all[r.at])
	for _, i := range r.folded {
		g := o.own(all[i])
		f.Severity = graver(f.Severity, g.Severity) // it is as grave as what follows from it
		f.Folded = append(f.Folded, under(f, g))
	}
	return shown(f)
}

func graver(a, b finding.Severity) finding.Severity {
	for _, s := range []finding.Severity{finding.Error, finding.Warning} {
		if a == s || b == s {
			return s
		}
	}
	return a
}

// under is a finding that follows from another: whoever mends that one mends this.
func under(root, f finding.Finding) finding.Finding {
	f.Owner, f.Paged = root.Owner, root.Paged
	f.Because = fmt.Sprintf("it follows from %s of %s", root.ID, root.Object)
	f.Next = []finding.Step{{Party: root.Owner, Says: fmt.Sprintf("nothing here: it goes when %s of %s goes", root.ID, root.Object)}}
	f.Mend = finding.Mend{Says: f.Next[0].Says}
	return f
}

func (o owners) own(f found) finding.Finding {
	s := Of(f.id)
	f = f.with("team", cmp.Or(o.teamOf(f.home()), "TEAM"))
	domains := f.domains
	if len(domains) == 0 {
		domains = []string{s.Domain}
		if s.And != "" {
			domains = append(domains, s.And)
		}
	}
	out := finding.Finding{ID: f.id, Severity: cmp.Or(f.severity, s.Severity), Domain: domains[0], Object: f.object, Part: f.part, Message: f.message,
		Affects: f.hits, Evidence: f.evidence, Docs: Docs(f.id), Team: o.teamOf(f.home())}
	out.Owner, out.Because = o.parties(f, domains)
	out.Next = o.next(f, s, domains, out.Owner)
	out.Paged = o.paged(out.Owner, out.Team)
	out.Mend = finding.Mend{Says: says(out.Next)}
	if len(out.Next) > 0 {
		out.Mend.Command = out.Next[0].Command
	}
	return out
}

// parties is who acts, and why.
func (o owners) parties(f found, domains []string) (v1alpha1.Party, string) {
	if f.party != "" {
		return o.standIn(f.party, f.home()), f.because
	}
	var why []string
	var who v1alpha1.Party
	for _, domain := range domains {
		party, said := o.pagedFor(domain, f.home())
		why = append(why, said)
		if who != "" && who != party {
			party = v1alpha1.PartyShared
		}
		who = party
	}
	if f.because != "" {
		why = append([]string{f.because}, why...)
	}
	return who, strings.Join(why, "; ")
}

// pagedFor is whom the contract pages for a domain, here.
func (o owners) pagedFor(domain, namespace string) (v1alpha1.Party, string) {
	d := o.contract.Domain(domain)
	if d == nil {
		d = o.contract.Unlisted()
	}
	// What nobody is paged for waits for those who watch it, or change it.
	party := cmp.Or(somebody(d.Paged), somebody(d.Monitors), somebody(d.Modifies), v1alpha1.PartyPlatform)
	said := fmt.Sprintf("the contract pages the %s for %s", party, d.Name)
	if party == v1alpha1.PartyShared {
		said = "the contract pages both for " + d.Name
	}
	if stands := o.standIn(party, namespace); stands != party {
		return stands, said + ", and the platform stands in for what is no team's"
	}
	return party, said
}

// somebody is a party that can act; empty for nobody, and for what is no party.
func somebody(p v1alpha1.Party) v1alpha1.Party {
	switch p {
	case v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyShared:
		return p
	case v1alpha1.PartyNobody:
	}
	return ""
}

// standIn is the platform for what is in a namespace that is known to be no team's.
func (o owners) standIn(p v1alpha1.Party, namespace string) v1alpha1.Party {
	if p == v1alpha1.PartyPlatform || o.teamOf(namespace) != "" {
		return p
	}
	if _, read := o.teams[namespace]; read || namespace == "" || strings.HasPrefix(namespace, "kube-") {
		return v1alpha1.PartyPlatform
	}
	return p // the namespace could not be read: whoever has it
}
