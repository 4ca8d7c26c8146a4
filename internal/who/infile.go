package who

import (
	"slices"

	"demarc.dev/demarc/internal/contract"
)

// file finds the domain of a place in Git.
func (d *decision) file() {
	file := *d.File
	d.answer.File, d.answer.About = &file, file.Path
	if file.Repository != "" {
		d.answer.About += " in repository " + file.Repository
	}
	closest, repositories := places(d.contract, file)
	if len(closest) == 0 {
		d.domain, d.answer.Domain.Unlisted = d.contract.Unlisted(), true
		d.domain.Title, d.domain.Boundary = "Files that no path covers", "Nobody has decided yet whose these are: give a domain a path that they lie in."
		return
	}
	d.domain = closest[0].domain
	for i, h := range file.Holds {
		if of := d.contract.Of(contract.Object{GroupKind: h.GroupKind(), Name: h.Name, Labels: h.Labels}); of != nil {
			file.Holds[i].Domain = of.Name
		}
	}
	for _, p := range closest { // where several share a place, what the file holds decides
		if len(file.Holds) > 0 && !slices.ContainsFunc(file.Holds, func(h Held) bool { return h.Domain != p.domain.Name }) {
			d.domain = p.domain
		}
	}
	d.lies(closest, repositories)
}

func (d *decision) lies(closest []place, repositories []string) {
	for _, p := range closest {
		if p.domain == d.domain {
			d.answer.Change.Places = append(d.answer.Change.Places, d.place(p.path, p.team))
			if p.team != "" {
				d.named(p.team, "the path "+p.path.Path)
			}
			continue
		}
		d.answer.Also = append(d.answer.Also, Also{Domain: p.domain.Name, Title: p.domain.Title, Modifies: p.domain.Modifies, Path: p.path.Path})
	}
	if len(repositories) > 1 {
		d.note("Paths in the repositories %s cover it; the closest was taken. Name the repository with --repository.", joined(repositories))
	}
}
