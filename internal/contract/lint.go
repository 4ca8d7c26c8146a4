package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

// contractObject is how problems of the contract name their object.
const contractObject = "OwnershipContract " + v1alpha1.ContractName

// lint is a look through one contract.
type lint struct {
	problems
	spec         v1alpha1.OwnershipContractSpec
	decisions    map[string]bool // whether a domain uses it
	repositories map[string]bool
	wide         map[schema.GroupKind]string // the domain
	narrow       map[narrowed]string
	owners       map[v1alpha1.ContractPath]*v1alpha1.ContractDomain
}

// Lint says what is wrong with a contract, and with the parties that its answers name
// as far as they are known. What it refuses must not be compiled.
func Lint(spec v1alpha1.OwnershipContractSpec, parties Parties) []Problem {
	l := &lint{
		problems: problems{object: contractObject}, spec: spec,
		decisions: map[string]bool{}, repositories: map[string]bool{},
		wide: map[schema.GroupKind]string{}, narrow: map[narrowed]string{},
		owners: map[v1alpha1.ContractPath]*v1alpha1.ContractDomain{},
	}
	l.unlisted()
	l.names()
	for i, t := range spec.Trusted {
		l.trusted(fmt.Sprintf("spec.trusted[%d]", i), t)
	}
	l.domains()
	l.parts()
	l.rights()
	l.powers()
	l.unused()
	l.uncovered()
	return slices.Concat(l.found, lintParties(spec, parties))
}

// Sound says that nothing is refused.
func Sound(found []Problem) bool {
	return !slices.ContainsFunc(found, func(p Problem) bool { return p.Severity == Refused })
}

// Taken says that the contract can be taken, whoever may be missing behind its answers:
// the operator takes it, and it can be compiled.
func Taken(found []Problem) bool {
	return !slices.ContainsFunc(found, func(p Problem) bool { return p.Severity == Refused && !p.Party })
}

func (l *lint) unlisted() {
	switch u := l.spec.Unlisted; u {
	case "", v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyNobody:
	case v1alpha1.PartyShared:
		l.refuse("spec.unlisted", "what nobody has decided on cannot be shared: name platform, team or nobody")
	default:
		l.refuse("spec.unlisted", "%q is no party: name platform, team or nobody", u)
	}
}

var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// names looks at what domains refer to.
func (l *lint) names() {
	for i, d := range l.spec.Decisions {
		path := fmt.Sprintf("spec.decisions[%d]", i)
		l.name(path, "decision", d.Name, l.decisions)
		if strings.TrimSpace(d.How) == "" {
			l.refuse(path+".how", "it does not say how: write who meets where, and who has the last word")
		}
	}
	for i, r := range l.spec.Repositories {
		path := fmt.Sprintf("spec.repositories[%d]", i)
		l.name(path, "repository", r.Name, l.repositories)
		if r.Name != "" && !label.MatchString(r.Name) {
			l.refuse(path+".name", "%q becomes the name of a folder: use lower-case letters, digits and '-'", r.Name)
		}
	}
}

func (l *lint) name(path, what, name string, seen map[string]bool) {
	_, twice := seen[name]
	switch {
	case name == "":
		l.refuse(path+".name", "the %s has no name: name it, so that domains can refer to it", what)
	case twice:
		l.refuse(path+".name", "there are two of the name %s: one of the two is to go, or to be named otherwise", name)
	}
	seen[name] = false
}

// everybody are names that the API server gives to whoever comes.
var everybody = []string{"system:authenticated", "system:unauthenticated", "system:anonymous", "system:serviceaccounts"}

func (l *lint) trusted(path string, t v1alpha1.ContractTrusted) {
	who, set := t.User+t.Group, 0
	for _, is := range []bool{t.User != "", t.Group != "", t.ServiceAccount != nil} {
		if is {
			set++
		}
	}
	if a := t.ServiceAccount; a != nil {
		who += a.Namespace + a.Name
		if a.Namespace == "" || a.Name == "" {
			l.refuse(path+".serviceAccount", "name both its namespace and its name")
		}
	}
	switch {
	case set != 1:
		l.refuse(path, "set exactly one of group, user and serviceAccount")
	case strings.Contains(who, "*"):
		l.refuse(path, "%q holds '*': names are taken as they are written, so name each who is trusted", who)
	case slices.Contains(everybody, who):
		l.refuse(path, "%s is everybody: name those who must act on both sides", who)
	}
	if strings.TrimSpace(t.Reason) == "" {
		l.refuse(path+".reason", "it is trusted without a reason: say what it does on both sides of the boundary, or take it out")
	}
}

func (l *lint) unused() {
	for i, d := range l.spec.Decisions {
		if !l.decisions[d.Name] && d.Name != "" {
			l.warn(fmt.Sprintf("spec.decisions[%d]", i), "no domain decides by %s: take it out, or name it in a domain's decision", d.Name)
		}
	}
	for i, r := range l.spec.Repositories {
		if !l.repositories[r.Name] && r.Name != "" {
			l.warn(fmt.Sprintf("spec.repositories[%d]", i), "no domain has a path in %s: take it out, or name it in a domain's paths", r.Name)
		}
	}
}

// named is how many kinds are named before the rest is only counted.
const named = 12

func (l *lint) uncovered() {
	c := New(l.spec)
	var kinds []string
	for _, k := range c.Uncovered() {
		kinds = append(kinds, k.GroupKind().String())
	}
	if len(kinds) == 0 {
		return
	}
	all := strings.Join(kinds, ", ")
	if rest := len(kinds) - named; rest > 1 {
		all = fmt.Sprintf("%s and %d more (demarc contract render --only matrix names them)", strings.Join(kinds[:named], ", "), rest)
	}
	l.warn("spec.domains", "no domain covers %s: until one does they fall to unlisted (%s)", all, c.Unlisted().Creates)
}
