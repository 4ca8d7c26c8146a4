package who

import (
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

func (d *decision) verdict(you *You, may bool, what, why string) {
	if may {
		you.May = append(you.May, what)
		return
	}
	you.MayNot = append(you.MayNot, MayNot{What: what, Why: d.whyNot(why)})
}

// whyNot says who does what the one who asks may not, and on which way.
func (d *decision) whyNot(what string) string {
	for i, question := range duties {
		if question.name != what {
			continue
		}
		said := d.answer.Answers[i]
		switch stand := d.stand(said.Answer); {
		case stand == v1alpha1.PartyNobody:
			return question.nobody
		case stand == v1alpha1.PartyPlatform:
			return "that is the platform's"
		case d.answer.Change.Path == v1alpha1.PathGit:
			return "that is done in Git, by " + said.Who
		default:
			return "that is for " + said.Who + ", with the role edit"
		}
	}
	return d.roleFor(what)
}

var levelNames = map[contract.Level]string{contract.View: "view", contract.Operate: "operate", contract.Edit: "edit"}

// roleFor names the role of a team from which on its people may.
func (d *decision) roleFor(what string) string {
	for _, row := range d.contract.Rows() {
		if row.GroupKind() != d.object.GroupKind() {
			continue
		}
		level := row.Operations[what]
		if what == "read" {
			level = row.Read
		}
		if name := levelNames[level]; name != "" && !d.team.none {
			return "that takes the role " + name + " of " + d.words(v1alpha1.PartyTeam)
		}
	}
	return "no role of a team has it"
}

// partiesOf are the parties that who asks is of, by what the Platform and the Tenant say.
func (d *decision) partiesOf(self Self) (of []string) {
	is := func(subject string) bool {
		kind, name, _ := strings.Cut(subject, " ")
		if kind == "serviceaccount" {
			return self.User == "system:serviceaccount:"+strings.Replace(name, "/", ":", 1)
		}
		return kind == "user" && name == self.User || kind == "group" && slices.Contains(self.Groups, name)
	}
	for _, b := range d.answer.Parties {
		for _, p := range b.People {
			if is(p.Subject) {
				of = append(of, strings.TrimSpace(b.Name+" "+inBraces(p.Role)))
			}
		}
	}
	return slices.Compact(of)
}

func inBraces(role string) string {
	if role == "" {
		return ""
	}
	return "(" + role + ")"
}
