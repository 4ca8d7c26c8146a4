package contract

import (
	"regexp"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
)

// lintParties says which party that answers name has nobody behind it. Of whom nothing
// is known nothing is said.
func lintParties(spec v1alpha1.OwnershipContractSpec, parties Parties) []Problem {
	var found []Problem
	if p := parties.Platform; p != nil {
		found = append(found, lintPlatform(spec, p.Spec.Team)...)
	}
	for i := range parties.Tenants {
		found = append(found, lintTeam(spec, &parties.Tenants[i])...)
	}
	if parties.Platform == nil && len(parties.Tenants) > 0 && pages(spec, v1alpha1.PartyPlatform) {
		found = append(found, Problem{Severity: Note, Object: platformObject, Party: true,
			Message: "it is not among the files, so who is behind the platform is not looked at, and receiver platform of alertmanager.yaml sends nothing: give it too"})
	}
	return found
}

const platformObject = "Platform " + v1alpha1.PlatformName

func lintPlatform(spec v1alpha1.OwnershipContractSpec, team v1alpha1.PlatformTeam) []Problem {
	p := &problems{object: platformObject, party: true}
	p.contacts("spec.team.contacts", team.Contacts)
	p.alerted(spec, "spec.team.contacts", v1alpha1.PartyPlatform, team.Contacts)
	if first := firstAnswer(spec, v1alpha1.PartyPlatform); first != "" {
		if len(team.Groups) == 0 {
			p.refuse("spec.team.groups", "the contract answers platform (first in %s), and no group of people is the platform's: name at least one", first)
		}
		p.reached("spec.team.contacts", "platform", first, team.Contacts)
		p.approving(spec, "spec.team.contacts", v1alpha1.PartyPlatform, team.Contacts)
	}
	return p.found
}

func lintTeam(spec v1alpha1.OwnershipContractSpec, t *v1alpha1.Tenant) []Problem {
	p := &problems{object: "Tenant " + t.Name, party: true}
	p.contacts("spec.contacts", t.Spec.Contacts)
	p.alerted(spec, "spec.contacts", v1alpha1.PartyTeam, t.Spec.Contacts)
	if first := firstAnswer(spec, v1alpha1.PartyTeam); first != "" {
		p.reached("spec.contacts", "team", first, t.Spec.Contacts)
		p.approving(spec, "spec.contacts", v1alpha1.PartyTeam, t.Spec.Contacts)
		if t.Spec.Access != nil && len(t.Spec.Access) == 0 {
			p.refuse("spec.access", "the contract answers team (first in %s), and nobody is of this team: give at least one person or group access", first)
		}
	}
	return p.found
}

// firstAnswer is where a contract first names a party, alone or as one of two.
func firstAnswer(spec v1alpha1.OwnershipContractSpec, party v1alpha1.Party) string {
	for i := range spec.Domains {
		d := &spec.Domains[i]
		if slices.ContainsFunc(answers(d), func(a answer) bool { return has(party)(a.party) }) {
			return "domain " + d.Name
		}
	}
	if spec.Unlisted == party || spec.Unlisted == "" && party == v1alpha1.PartyPlatform {
		return "unlisted"
	}
	return ""
}

// reached refuses a party that nobody can call.
func (p *problems) reached(path, party, first string, c v1alpha1.Contacts) {
	if strings.TrimSpace(c.Channel+c.OnCall) == "" {
		p.refuse(path, "the contract answers %s (first in %s), and nobody can be reached: set channel, onCall or both", party, first)
	}
}

// alerted warns of a party that is paged and cannot be sent to: its alerts are lost. What
// is refused already is not said twice.
func (p *problems) alerted(spec v1alpha1.OwnershipContractSpec, path string, party v1alpha1.Party, c v1alpha1.Contacts) {
	channel := ReadChannel(c.Channel)
	switch {
	case !pages(spec, party) || channel.By != "":
	case c.Channel == "" && (strings.TrimSpace(c.OnCall) != "" || firstAnswer(spec, party) == ""):
		p.warn(path+".channel", "the %s is paged and has no channel: alerts for it are sent nowhere; %s", party, channel.Do)
	case c.Channel != "" && channelForm.MatchString(c.Channel):
		p.warn(path+".channel", "the %s is paged, and its channel %s: alerts for it are sent nowhere; %s", party, channel.Why, channel.Do)
	}
}

// pages says whether a contract has alerts sent to a party. The platform gets those of
// teams that nobody knows too.
func pages(spec v1alpha1.OwnershipContractSpec, party v1alpha1.Party) bool {
	to := func(paged v1alpha1.Party) bool {
		return has(party)(paged) || party == v1alpha1.PartyPlatform && paged == v1alpha1.PartyTeam
	}
	unlisted := spec.Unlisted
	if unlisted == "" {
		unlisted = v1alpha1.PartyPlatform
	}
	return to(unlisted) || slices.ContainsFunc(spec.Domains, func(d v1alpha1.ContractDomain) bool { return to(d.Paged) })
}

// approving warns of a party that approves what is in Git and has no name there.
func (p *problems) approving(spec v1alpha1.OwnershipContractSpec, path string, party v1alpha1.Party, c v1alpha1.Contacts) {
	asked := slices.ContainsFunc(spec.Domains, func(d v1alpha1.ContractDomain) bool { return has(party)(d.Approves) && len(d.Paths) > 0 })
	if asked && len(c.CodeOwners) == 0 {
		p.warn(path+".codeOwners", "the %s approves changes in Git and has no name there: its paths get no line in CODEOWNERS; set a handle such as @example/payments", party)
	}
}

// The forms that the schema of the kinds asks for.
var (
	channelForm = regexp.MustCompile(`^(#[^ \\\s]+|[^@\s]+@[^@\s]+|https://.+)$`)
	handleForm  = regexp.MustCompile(`^(@[A-Za-z0-9/_.-]+|[^@\s]+@[^@\s]+)$`)
)

// Handle says whether CODEOWNERS takes it: a handle, or an e-mail address.
func Handle(owner string) bool { return handleForm.MatchString(owner) }

func (p *problems) contacts(path string, c v1alpha1.Contacts) {
	if c.Channel != "" && !channelForm.MatchString(c.Channel) {
		p.refuse(path+".channel", "%q is no channel: set #CHANNEL, an e-mail address or an https URL", c.Channel)
	}
	for _, o := range c.CodeOwners {
		if !Handle(o) {
			p.refuse(path+".codeOwners", "%q is nobody's name in CODEOWNERS: set a handle such as @example/payments, or an e-mail address", o)
		}
	}
}
