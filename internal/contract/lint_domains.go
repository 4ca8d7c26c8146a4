package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"demarc.dev/demarc/api/v1alpha1"
)

// answer is one of the six.
type answer struct {
	field string
	party v1alpha1.Party
}

func answers(d *v1alpha1.ContractDomain) []answer {
	return []answer{
		{"creates", d.Creates}, {"modifies", d.Modifies}, {"approves", d.Approves},
		{"monitors", d.Monitors}, {"paged", d.Paged}, {"deletes", d.Deletes},
	}
}

func (l *lint) domains() {
	if len(l.spec.Domains) == 0 {
		l.refuse("spec.domains", "it has no domain, so nothing is agreed on: begin with what demarc contract render --only contract prints")
	}
	seen := map[string]bool{}
	for i := range l.spec.Domains {
		d, path := &l.spec.Domains[i], fmt.Sprintf("spec.domains[%d]", i)
		l.name(path, "domain", d.Name, seen)
		switch {
		case d.Name == unlistedName:
			l.refuse(path+".name", "%s is what Demarc calls the kinds that no domain covers: choose another name", d.Name)
		case d.Name != "" && (!label.MatchString(d.Name) || len(d.Name) > 63):
			l.refuse(path+".name", "alerts carry %q in the label demarc_domain: use at most 63 lower-case letters, digits and '-'", d.Name)
		}
		l.answers(path, d)
		l.decision(path, d)
		for j, p := range d.Paths {
			l.path(fmt.Sprintf("%s.paths[%d]", path, j), d, p)
		}
		for j := range d.Resources {
			l.resource(fmt.Sprintf("%s.resources[%d]", path, j), d, &d.Resources[j])
		}
	}
}

func (l *lint) answers(path string, d *v1alpha1.ContractDomain) {
	for _, a := range answers(d) {
		switch a.party {
		case v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyShared, v1alpha1.PartyNobody:
		case "":
			l.refuse(path+"."+a.field, "domain %s does not say who %s: name platform, team, shared or nobody", d.Name, verbOf(a.field))
		default:
			l.refuse(path+"."+a.field, "%q is no answer to who %s: the boundary is not defined well enough: name platform, team, shared or nobody", a.party, verbOf(a.field))
		}
	}
	switch d.ChangePath {
	case "", v1alpha1.PathGit, v1alpha1.PathCluster, v1alpha1.PathBoth:
	default:
		l.refuse(path+".changePath", "%q is no way to change something: name git, cluster or both", d.ChangePath)
	}
	if d.Paged == v1alpha1.PartyNobody && d.Monitors == v1alpha1.PartyTeam {
		l.warn(path+".paged", "the team watches %s, and nobody is called when it fails: name who is paged, or nobody under monitors", d.Name)
	}
}

func verbOf(field string) string {
	if field == "paged" {
		return "is paged"
	}
	return field
}

func (l *lint) decision(path string, d *v1alpha1.ContractDomain) {
	_, listed := l.decisions[d.Decision]
	shared := slices.ContainsFunc(answers(d), func(a answer) bool { return a.party == v1alpha1.PartyShared })
	switch {
	case d.Decision == "" && shared:
		l.refuse(path+".decision", "an answer of shared needs a way to decide: name one of spec.decisions (%s)", known(l.decisions))
	case d.Decision != "" && !listed:
		l.refuse(path+".decision", "there is no decision %q: %s", d.Decision, choose(d.Decision, slices.Sorted(maps.Keys(l.decisions)), "list it in spec.decisions"))
	case d.Decision != "":
		l.decisions[d.Decision] = true
	}
}

func known(names map[string]bool) string {
	if len(names) == 0 {
		return "none is listed yet"
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// TeamInPath stands for each team's name in a path.
const TeamInPath = "{team}"

func (l *lint) path(path string, d *v1alpha1.ContractDomain, p v1alpha1.ContractPath) {
	if _, listed := l.repositories[p.Repository]; !listed {
		l.refuse(path+".repository", "there is no repository %q: %s", p.Repository, choose(p.Repository, slices.Sorted(maps.Keys(l.repositories)), "list it in spec.repositories"))
	} else {
		l.repositories[p.Repository] = true
	}
	if why := PathProblem(p.Path); why != "" {
		l.refuse(path+".path", "%q %s", p.Path, why)
	}
	if first := l.owners[p]; first != nil && first.Approves != d.Approves {
		l.warn(path+".path", "%s in %s is in domain %s too, and there %s approves, here %s: CODEOWNERS names both", p.Path, p.Repository, first.Name, first.Approves, d.Approves)
	} else if first == nil {
		l.owners[p] = d
	}
}

// PathProblem says why a path cannot stand in CODEOWNERS; empty is that it can.
func PathProblem(p string) string {
	rest := strings.ReplaceAll(p, TeamInPath, "")
	switch {
	case !strings.HasPrefix(p, "/"):
		return "must begin with '/', the top of the repository"
	case strings.ContainsFunc(p, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return "holds a blank or a control character, which ends a path in CODEOWNERS"
	case strings.ContainsAny(rest, `[]!#\?`):
		return `holds one of [ ] ! # \ ?, which CODEOWNERS does not take`
	case strings.ContainsAny(rest, "{}"):
		return "holds a brace: only {team} is filled in"
	default:
		return ""
	}
}
