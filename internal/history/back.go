package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

// Plan is what going back to a revision changes: the image that the claim asks for, and
// nothing else.
type Plan struct {
	To Revision
	// Was is the image now.
	Was string
	// Claim as it was read: its uid and resourceVersion belong to the change.
	Claim *v1alpha1.ServiceClaim
	// Says what else is to be known; empty where nothing is.
	Says string
}

// Refusal is why nothing is changed, and what to do.
type Refusal struct {
	What, Next string
	// Unknown says that it could not be told.
	Unknown bool
}

// Previous is the newest revision with another image than the claim asks for, and than runs where
// that is the claim's, rewritten on its way.
const Previous int64 = -1

// Back decides how a claim goes back to a revision, by its number, or to the Previous one.
func Back(set *snapshot.Set, name string, to int64) (*Plan, *Refusal) {
	a, ok := Of(set, name)
	if !ok {
		return nil, &Refusal{What: "there is no claim " + name, Next: "kubectl get claims lists them"}
	}
	claim, err := snapshot.Into[v1alpha1.ServiceClaim](set.Get(claimKind, "", name))
	if err != nil {
		return nil, &Refusal{What: "claim " + name + " cannot be read: " + err.Error(), Unknown: true}
	}
	if claim.DeletionTimestamp != nil {
		return nil, &Refusal{What: "claim " + name + " is being deleted", Next: "demarc explain delete claim/" + name + " says how far it is"}
	}
	rewritten := a.rewritten(set, claim)
	r, refusal := a.pick(to, rewritten)
	if refusal == nil || claim.Spec.Image == "" {
		if elsewhere := inGit(set, claim, r); elsewhere != nil {
			return nil, elsewhere
		}
	}
	if refusal != nil {
		return nil, refusal
	}
	plan := &Plan{To: *r, Was: claim.Spec.Image, Claim: claim}
	if rewritten != nil {
		plan.Says = fmt.Sprintf("%s is what the claim's image became on its way, by a mirror or a webhook; what it goes back to is as it ran then", rewritten.Image)
	}
	return plan, nil
}

// pick finds the revision that is meant; rewritten is the current one where its image is the
// claim's under another name.
func (a Answer) pick(to int64, rewritten *Revision) (*Revision, *Refusal) {
	same := func(r Revision) bool { return r.Image == a.Image || rewritten != nil && r.Image == rewritten.Image }
	if len(a.Revisions) == 0 {
		return nil, &Refusal{What: "no revision of claim " + a.Claim + " is known", Next: strings.Join(a.Notes, "; "), Unknown: true}
	}
	if to == Previous {
		at := slices.IndexFunc(a.Revisions, func(r Revision) bool { return r.Image != "" && !same(r) })
		if at < 0 {
			than := a.Image
			if rewritten != nil {
				than += ", which runs as " + rewritten.Image
			}
			return nil, &Refusal{What: fmt.Sprintf("no revision of claim %s that is still kept has another image than %s", a.Claim, than),
				Next: "set spec.image of the claim to the image that you want"}
		}
		return &a.Revisions[at], nil
	}
	at := slices.IndexFunc(a.Revisions, func(r Revision) bool { return r.Number == to })
	if at < 0 {
		var known []string
		for _, r := range a.Revisions {
			known = append(known, strconv.FormatInt(r.Number, 10))
		}
		return nil, &Refusal{What: fmt.Sprintf("claim %s has no revision %d", a.Claim, to), Next: "there are " + strings.Join(known, ", ") + "; demarc history " + a.Claim + " tells of each"}
	}
	r := &a.Revisions[at]
	switch {
	case r.Image == "":
		return nil, &Refusal{What: fmt.Sprintf("revision %d says no image", to), Next: "demarc history " + a.Claim}
	case same(*r) && len(r.Differs) > 0:
		return nil, &Refusal{What: fmt.Sprintf("claim %s asks for %s already, which is revision %d's image; what differs is %s, and a rollback changes the image alone", a.Claim, a.Image, to, strings.Join(r.Differs, ", ")),
			Next: "change these in the claim"}
	case same(*r):
		return nil, &Refusal{What: fmt.Sprintf("claim %s asks for %s already, which is revision %d's image: there is nothing to change", a.Claim, a.Image, to)}
	}
	return r, nil
}

// shipped is the contract that comes with Demarc. What it says counts where the cluster has none,
// and not where the cluster's own could not be read.
const shipped = "shipped"

// inGit refuses what is changed in Git, and says what to change where: by the contract, or
// because Argo CD delivers the claim and would put it back. Where the contract could not be
// read it refuses too: it may say so.
func inGit(set *snapshot.Set, claim *v1alpha1.ServiceClaim, r *Revision) *Refusal {
	answer := who.Decide(set, who.Question{From: who.FromCluster, Object: &who.Object{
		Group: v1alpha1.GroupName, Kind: claimKind.Kind, Resource: "serviceclaims", Cluster: true, Name: claim.Name}}).Answer
	if s := claim.Spec.Source; s != nil {
		return &Refusal{What: fmt.Sprintf("claim %s delivers manifests of the team's own: what runs is changed in their repository", claim.Name),
			Next: fmt.Sprintf("revert the commit in %s, path %s at %s", s.RepoURL, or(s.Path, "."), or(s.TargetRevision, "HEAD"))}
	}
	change := answer.Change
	delivered := slices.IndexFunc(change.Steps, func(s who.Step) bool { return s.How == "delivers it" })
	var why string
	switch {
	case delivered >= 0:
		why = fmt.Sprintf("claim %s is delivered from Git by %s, which would put a change past Git back", claim.Name, change.Steps[delivered].Object)
	case change.Path == v1alpha1.PathGit:
		why = fmt.Sprintf("by the contract (domain %s) claim %s is changed in Git", answer.Domain.Name, claim.Name)
	case answer.Contract.Unread, answer.Contract.Source == shipped && set.Get(contractKind, "", v1alpha1.ContractName) != nil:
		return &Refusal{What: fmt.Sprintf("whether claim %s is changed here or in Git is not known: %s", claim.Name, answer.Contract.Why), Unknown: true,
			Next: "kubectl get ownershipcontract " + v1alpha1.ContractName + " says why it cannot be read; or set spec.image of the claim yourself, where it is changed"}
	default:
		return nil
	}
	next := fmt.Sprintf("set spec.image of ServiceClaim %s to %s in Git", claim.Name, r.Image)
	for i, p := range change.Places {
		next += []string{": ", ", or "}[min(i, 1)] + place(p)
	}
	return &Refusal{What: why, Next: next}
}

func place(p who.Place) string {
	text := p.Path
	if where := or(p.URL, p.Repository); where != "" {
		text += " in " + where
	}
	if p.Revision != "" {
		text += " at " + p.Revision
	}
	return text
}

func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}
