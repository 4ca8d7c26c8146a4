package who

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// ParsePath reads a path from the top of a repository.
func ParsePath(text string) (string, error) {
	clean := path.Clean("/" + strings.ReplaceAll(text, "\\", "/"))
	switch {
	case strings.ContainsFunc(text, unicode.IsControl), len(text) > 4096:
		return "", fmt.Errorf("%q is no path of a file", text)
	case clean == "/":
		return "", errors.New("name a file by its path from the top of its repository")
	case slices.Contains(strings.Split(text, "/"), ".."):
		return "", fmt.Errorf("%q leads out of a folder: name the file from the top of its repository", text)
	}
	return clean[1:], nil
}

// place is a path of the contract that a file lies in.
type place struct {
	domain *v1alpha1.ContractDomain
	path   v1alpha1.ContractPath
	team   string
	rank   rank
}

// rank says how closely a pattern is about a file: by its depth, then by how much of it
// is spelled out.
type rank struct{ depth, literal int }

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.depth, o.depth), cmp.Compare(r.literal, o.literal))
}

// places lists the closest paths that a file lies in; repositories are all in which
// some path does.
func places(c *contract.Contract, f File) (closest []place, repositories []string) {
	for i := range c.Spec.Domains {
		d := &c.Spec.Domains[i]
		for _, p := range d.Paths {
			team, r, ok := lies(f.Path, p.Path)
			if !ok || f.Repository != "" && !isRepository(c, p.Repository, f.Repository) {
				continue
			}
			if !slices.Contains(repositories, p.Repository) {
				repositories = append(repositories, p.Repository)
			}
			found := place{d, p, team, r}
			switch {
			case len(closest) == 0 || r.compare(closest[0].rank) > 0:
				closest = []place{found}
			case r == closest[0].rank:
				closest = append(closest, found)
			}
		}
	}
	return closest, repositories
}

func isRepository(c *contract.Contract, name, asked string) bool {
	return name == asked || sameURL(repositoryURL(c, name), asked)
}

func repositoryURL(c *contract.Contract, name string) string {
	for _, r := range c.Spec.Repositories {
		if r.Name == name {
			return r.URL
		}
	}
	return ""
}

func sameURL(a, b string) bool {
	trim := func(url string) string { return strings.TrimSuffix(strings.TrimSuffix(url, "/"), ".git") }
	return a != "" && trim(a) == trim(b)
}

// hasRepository says whether a contract names a repository.
func hasRepository(c *contract.Contract, asked string) bool {
	return slices.ContainsFunc(c.Spec.Repositories, func(r v1alpha1.ContractRepository) bool { return isRepository(c, r.Name, asked) })
}

const (
	teamMark = "{team}"
	teamName = "([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)"
)

// lies says whether a file lies in a path as CODEOWNERS has them, and for which team.
func lies(file, pattern string) (team string, r rank, ok bool) {
	expression, err := compile(pattern)
	if err != nil {
		return "", r, false
	}
	found := expression.FindStringSubmatch(file)
	if found == nil {
		return "", r, false
	}
	for _, captured := range found[1:] {
		if team != "" && captured != team || slices.Contains(v1alpha1.ReservedTeams, captured) {
			return "", r, false
		}
		team = captured
	}
	r.depth = len(strings.FieldsFunc(pattern, func(c rune) bool { return c == '/' }))
	r.literal = len(strings.NewReplacer(teamMark, "", "*", "", "?", "", "/", "").Replace(pattern))
	return team, r, true
}

// compile turns a path into an expression: * within a folder, ** over folders, a slash
// at the end for all below; without a slash before its end it is a name anywhere.
func compile(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^")
	inner := strings.TrimSuffix(pattern, "/")
	if !strings.Contains(inner, "/") {
		b.WriteString("(?:.*/)?")
	}
	inner = strings.TrimPrefix(inner, "/")
	for i, segment := range strings.Split(inner, "/") {
		last := i == strings.Count(inner, "/")
		switch {
		case segment == "**" && last:
			b.WriteString(".+")
		case segment == "**":
			b.WriteString("(?:.*/)?")
			continue
		default:
			quoted := regexp.QuoteMeta(segment)
			b.WriteString(strings.NewReplacer(regexp.QuoteMeta(teamMark), teamName, `\*`, "[^/]*", `\?`, "[^/]").Replace(quoted))
		}
		if !last {
			b.WriteString("/")
		}
	}
	switch {
	case inner == "":
		b.WriteString(".+") // the whole repository
	case strings.HasSuffix(pattern, "/"):
		b.WriteString("/.+")
	case strings.HasSuffix(pattern, "/*"): // what is in the folder, and nothing deeper
	default:
		b.WriteString("(?:/.*)?")
	}
	return regexp.Compile(b.String() + "$")
}
