package who

import (
	"cmp"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// duty is one of the six questions.
type duty struct {
	name   string
	of     func(*v1alpha1.ContractDomain) v1alpha1.Party
	nobody string
}

var duties = []duty{
	{"creates", func(d *v1alpha1.ContractDomain) v1alpha1.Party { return d.Creates },
		"no person makes it: controllers or the API server do, from what others ask for"},
	{"modifies", func(d *v1alpha1.ContractDomain) v1alpha1.Party { return d.Modifies },
		"no person changes it: it follows from other objects, and a change by hand does not last"},
	{"approves", func(d *v1alpha1.ContractDomain) v1alpha1.Party { return d.Approves },
		"nobody is asked: no person changes it"},
	{"monitors", func(d *v1alpha1.ContractDomain) v1alpha1.Party { return d.Monitors },
		"nobody watches it: what it stands for is watched elsewhere, or not needed"},
	{"paged", func(d *v1alpha1.ContractDomain) v1alpha1.Party { return d.Paged },
		"nobody is woken for it: it can wait for those who watch it"},
	{"deletes", func(d *v1alpha1.ContractDomain) v1alpha1.Party { return d.Deletes },
		"no person deletes it: it goes with what it was made for"},
}

func (d *decision) duties() {
	for _, question := range duties {
		answer := question.of(d.domain)
		said := Duty{Duty: question.name, Answer: answer, Who: d.words(d.stand(answer))}
		switch answer {
		case v1alpha1.PartyNobody:
			said.Means = question.nobody
		case v1alpha1.PartyShared:
			said.Means = "both, by " + cmp.Or(d.answer.Domain.Decision, "a way that the contract does not name")
		case v1alpha1.PartyTeam:
			if d.team.none {
				said.Means = "the namespace is no team's, so the platform stands in"
			}
		}
		d.answer.Answers = append(d.answer.Answers, said)
	}
}

// words for a party, here.
func (d *decision) words(p v1alpha1.Party) string {
	team := "its team"
	if d.team.name != "" {
		team = "team " + d.team.name
	}
	switch p {
	case v1alpha1.PartyPlatform:
		return "the platform"
	case v1alpha1.PartyTeam:
		return team
	case v1alpha1.PartyShared:
		return "the platform and " + team
	default:
		return "nobody"
	}
}

// parties names who is behind the answers; a team that it is about also where none of
// them is the team's.
func (d *decision) parties() {
	platform := Behind{Party: v1alpha1.PartyPlatform, Name: "the platform"}
	team := Behind{Party: v1alpha1.PartyTeam, Name: d.words(v1alpha1.PartyTeam)}
	for _, said := range d.answer.Answers {
		switch answer := d.stand(said.Answer); answer {
		case v1alpha1.PartyPlatform:
			platform.Duties = append(platform.Duties, said.Duty)
		case v1alpha1.PartyTeam:
			team.Duties = append(team.Duties, said.Duty)
		case v1alpha1.PartyShared:
			platform.Duties, team.Duties = append(platform.Duties, said.Duty), append(team.Duties, said.Duty)
		}
	}
	if len(platform.Duties) > 0 {
		d.answer.Parties = append(d.answer.Parties, d.behindPlatform(platform))
	}
	if len(team.Duties) > 0 || d.team.name != "" {
		d.answer.Parties = append(d.answer.Parties, d.behindTeam(team))
	}
}

func (d *decision) behindPlatform(b Behind) Behind {
	if d.platform == nil {
		b.Missing = d.absent(Ref{platforms, "", v1alpha1.PlatformName}, "Platform default")
		return b
	}
	team := d.platform.Spec.Team
	for _, group := range team.Groups {
		b.People = append(b.People, Person{Subject: "group " + group})
	}
	b.reach(team.Contacts)
	if c := team.Contacts; len(team.Groups) == 0 || c.Channel == "" && c.OnCall == "" {
		b.Missing = "Platform default names no groups or no contacts: spec.team says who they are and how they are reached"
	}
	return b
}

func (d *decision) behindTeam(b Behind) Behind {
	if ns := d.namespace(); d.team.name == "" && ns != "" {
		b.Missing = "which team namespace " + ns + " is of could not be read"
		if _, missed := d.set.Missed(namespaces, "", ns); !missed && d.From == FromCluster {
			b.Missing = "there is no namespace " + ns
		}
		return b
	}
	if d.team.name == "" {
		b.Missing = "which team that is follows from the namespace: give -n NAMESPACE"
		return b
	}
	ref := Ref{tenants, "", d.team.name}
	o := d.get(ref)
	if o == nil {
		d.answer.NoTenant = d.gone(ref)
		b.Missing = d.absent(ref, "Tenant "+d.team.name)
		d.written(&b)
		return b
	}
	tenant := decoded[v1alpha1.Tenant](d, o)
	if tenant == nil {
		return b
	}
	b.People = people(tenant)
	b.reach(tenant.Spec.Contacts)
	switch c := tenant.Spec.Contacts; {
	case len(b.People) == 0:
		b.Missing = "nobody is in the Tenant's spec.access: the platform sets it"
	case c.Channel == "" && c.OnCall == "":
		b.Missing = "the Tenant names no contacts: the team sets spec.contacts"
	}
	return b
}

// namespace that the question is about, empty where there is none.
func (d *decision) namespace() string {
	if d.object == nil {
		return ""
	}
	return d.object.Namespace
}

// people are those whom a Tenant gives access, those with the most first.
func people(t *v1alpha1.Tenant) (list []Person) {
	access := t.Spec.Access
	if access == nil {
		access = []v1alpha1.TenantAccess{{Group: v1alpha1.NamespaceOf(t.Name), Role: "edit"}}
	}
	for _, role := range []string{"edit", "operate", "view"} {
		for _, a := range access {
			if a.Role == role {
				list = append(list, Person{Subject: subject(a), Role: role})
			}
		}
	}
	return list
}

func subject(a v1alpha1.TenantAccess) string {
	switch {
	case a.Group != "":
		return "group " + a.Group
	case a.User != "":
		return "user " + a.User
	case a.ServiceAccount != nil:
		return "serviceaccount " + a.ServiceAccount.Namespace + "/" + a.ServiceAccount.Name
	default:
		return "nobody"
	}
}

func (b *Behind) reach(c v1alpha1.Contacts) {
	c, b.Withheld = contract.Shown(c)
	b.Channel, b.OnCall, b.Escalation, b.CodeOwners = c.Channel, c.OnCall, c.Escalation, slices.Clone(c.CodeOwners)
}

// gone says that an object is known not to be there.
func (d *decision) gone(ref Ref) bool {
	if _, missed := d.set.Missed(ref.Kind, ref.Namespace, ref.Name); missed || d.set.Get(ref.Kind, ref.Namespace, ref.Name) != nil {
		return false
	}
	return d.From == FromCluster || d.From == FromFiles && inFiles(d.set, ref)
}

// absent says why an object that names people is not there.
func (d *decision) absent(ref Ref, what string) string {
	if _, missed := d.set.Missed(ref.Kind, ref.Namespace, ref.Name); missed {
		return what + " could not be read"
	}
	switch d.From {
	case FromNothing:
		return "no cluster was asked"
	case FromFiles:
		return what + " is not in the files"
	}
	return "there is no " + what
}

func joined(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
