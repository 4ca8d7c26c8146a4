// Package codeowners compiles the contract to CODEOWNERS, one for each repository that
// it names: who approves a domain owns the paths where that domain is in Git.
package codeowners

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/contract"
)

// File is CODEOWNERS of one repository.
type File struct {
	// Repository as the contract names it.
	Repository string
	Lines      []Line
}

// Line is one path, and who approves changes below it.
type Line struct {
	Path string
	// Owners are handles and e-mail addresses, without doubles.
	Owners []string
	// Domains that are at this path.
	Domains []string
	// Missing says why there are fewer owners than the contract wants.
	Missing []string
}

// Files compiles the contract, in the order of its repositories.
func Files(c *contract.Contract, parties contract.Parties) []File {
	files := make([]File, 0, len(c.Spec.Repositories))
	for _, r := range c.Spec.Repositories {
		f := File{Repository: r.Name}
		for i := range c.Spec.Domains {
			d := &c.Spec.Domains[i]
			for _, p := range d.Paths {
				if p.Repository == r.Name {
					f.add(d, p.Path, parties)
				}
			}
		}
		slices.SortStableFunc(f.Lines, bySpecificity)
		files = append(files, f)
	}
	return files
}

// Text of the file.
func (f File) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Who approves changes in the repository %s. The last line that matches a path counts.\n", plain.Line(f.Repository))
	for _, l := range f.Lines {
		b.WriteString("\n# " + plain.Line(strings.Join(l.Domains, ", ")) + "\n")
		for _, why := range l.Missing {
			b.WriteString("# " + plain.Line(why) + "\n")
		}
		if len(l.Owners) > 0 {
			b.WriteString(l.Path + " " + strings.Join(l.Owners, " ") + "\n")
		} else {
			// A path alone would take the owners away that a wider line gives it.
			b.WriteString("# " + plain.Line(l.Path) + " has no owner of its own\n")
		}
	}
	return b.String()
}

var teamName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// add enters a path of a domain, once for each team where it is each team's.
func (f *File) add(d *v1alpha1.ContractDomain, path string, parties contract.Parties) {
	if !strings.Contains(path, contract.TeamInPath) {
		f.enter(d, path, path, parties, parties.Tenants)
		return
	}
	known := false
	for i := range parties.Tenants {
		if t := parties.Tenants[i : i+1]; teamName.MatchString(t[0].Name) {
			f.enter(d, path, strings.ReplaceAll(path, contract.TeamInPath, t[0].Name), parties, t)
			known = true
		}
	}
	if !known {
		f.line(path, d.Name).miss("no Tenant is known, so there is no line for a team")
	}
}

// enter adds the owners of one path.
func (f *File) enter(d *v1alpha1.ContractDomain, written, path string, parties contract.Parties, teams []v1alpha1.Tenant) {
	l := f.line(path, d.Name)
	if why := contract.PathProblem(written); why != "" {
		l.miss(fmt.Sprintf("the path %s", why))
		return
	}
	switch d.Approves {
	case v1alpha1.PartyPlatform:
		l.platform(parties.Platform)
	case v1alpha1.PartyTeam:
		l.teams(teams)
	case v1alpha1.PartyShared:
		l.platform(parties.Platform)
		l.teams(teams)
	default:
		l.miss("nobody approves this, says the contract")
	}
}

func (f *File) line(path, domain string) *Line {
	i := slices.IndexFunc(f.Lines, func(l Line) bool { return l.Path == path })
	if i < 0 {
		f.Lines, i = append(f.Lines, Line{Path: path}), len(f.Lines)
	}
	l := &f.Lines[i]
	if !slices.Contains(l.Domains, domain) {
		l.Domains = append(l.Domains, domain)
	}
	return l
}

func (l *Line) platform(p *v1alpha1.Platform) {
	if p == nil {
		l.miss("the platform approves this, and no Platform is known that names its people")
		return
	}
	l.own("Platform "+p.Name, "spec.team.contacts.codeOwners", p.Spec.Team.Contacts.CodeOwners)
}

func (l *Line) teams(teams []v1alpha1.Tenant) {
	if len(teams) == 0 {
		l.miss("the teams approve this, and no Tenant is known")
	}
	for _, t := range teams {
		l.own("Tenant "+t.Name, "spec.contacts.codeOwners", t.Spec.Contacts.CodeOwners)
	}
}

// own adds owners; what is none stays out, or it would void the whole line.
func (l *Line) own(object, field string, owners []string) {
	none := true
	for _, o := range owners {
		if !contract.Handle(o) {
			l.miss(fmt.Sprintf("%s of %s holds %q, which is no handle and no e-mail address", field, object, o))
			continue
		}
		none = false
		if !slices.Contains(l.Owners, o) {
			l.Owners = append(l.Owners, o)
		}
	}
	if none {
		l.miss(fmt.Sprintf("%s approves this, and its %s names nobody", object, field))
	}
}

func (l *Line) miss(why string) {
	if !slices.Contains(l.Missing, why) {
		l.Missing = append(l.Missing, why)
	}
}

// bySpecificity puts the wider path first: GitHub and GitLab take the last that matches.
func bySpecificity(a, b Line) int {
	return cmp.Or(
		cmp.Compare(depth(a.Path), depth(b.Path)),
		-cmp.Compare(strings.Count(a.Path, "*"), strings.Count(b.Path, "*")),
		cmp.Compare(a.Path, b.Path),
	)
}

func depth(path string) int { return strings.Count(strings.Trim(path, "/"), "/") }
