package contract

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

// parts warns of parts of a kind that nothing is made of, for what the whole is.
func (l *lint) parts() {
	whole := New(l.spec).wide
	for i := range l.spec.Domains {
		d := &l.spec.Domains[i]
		for j := range d.Resources {
			r := &d.Resources[j]
			if narrows(r) {
				l.part(fmt.Sprintf("spec.domains[%d].resources[%d]", i, j), d, r, whole)
			}
		}
	}
}

func (l *lint) part(path string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource, whole map[schema.GroupKind]entry) {
	for _, kind := range r.Kinds {
		gk := schema.GroupKind{Group: r.Group, Kind: kind}
		e, covered := whole[gk]
		served, known := ServedKind(gk)
		if !known {
			continue
		}
		if !covered {
			l.warn(path, "%s as a whole is in no domain, and roles and admission are made from whole kinds: put it into one", gk)
			continue
		}
		if served.Cluster && writes(d, onlyPlatform, "").Any() && writes(e.domain, has(v1alpha1.PartyTeam), "").Any() {
			l.refuse(path, "%s has no namespace, and admission keeps parts in team namespaces alone: whoever may write one writes this part too; answer as domain %s does", gk, e.domain.Name)
			continue
		}
		team, kept := writes(d, has(v1alpha1.PartyTeam), ""), writes(e.domain, onlyPlatform, "")
		if team.Create && kept.Create || team.Modify && kept.Modify || team.Delete && kept.Delete {
			l.warn(path, "%s as a whole is the platform's (domain %s), and admission keeps the team from this part too: let the whole be the team's, and narrow what is the platform's", gk, e.domain.Name)
		}
	}
}
