package rbac

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Holder is whom a subject of a binding in a namespace names, as a word.
func Holder(s rbacv1.Subject, namespace string) string {
	if s.Kind == rbacv1.GroupKind {
		return "group " + s.Name
	}
	return "user " + Of(s, namespace).User
}

// Holders are all words by which a subject means an identity.
func (i Identity) Holders() (all []string) {
	if i.User != "" {
		all = append(all, "user "+i.User)
	}
	for _, g := range i.Groups {
		all = append(all, "group "+g)
	}
	return all
}

// Own are those of its holders that mean this identity and not everybody: what everybody is
// given shows in who is nobody else beside.
func (i Identity) Own() []string {
	if i.User == "" && len(i.Groups) > 0 {
		return []string{"group " + i.Groups[0]}
	}
	return slices.DeleteFunc(i.Holders(), func(holder string) bool {
		return holder == "group "+Authenticated || holder == "group "+AllAccounts
	})
}

// everybodys are the rest of its holders.
func (i Identity) everybodys() []string {
	own := i.Own()
	return slices.DeleteFunc(i.Holders(), func(holder string) bool { return slices.Contains(own, holder) })
}

// spot is a holder in a namespace, or everywhere.
type spot struct{ holder, namespace string }

// holding is one subject of a binding; order is that of the bindings in the world.
type holding struct {
	binding        *Binding
	subject, order int
}

// hold indexes the bindings, so that to ask for somebody costs what somebody has and not
// what there is.
func (w *World) hold() {
	w.held, w.where = make(map[spot][]holding, len(w.Bindings)), map[string][]string{}
	for order, b := range w.Bindings {
		w.placed[b.Namespace] = append(w.placed[b.Namespace], b)
		for i, s := range b.Subjects {
			at := spot{Holder(s, b.Namespace), b.Namespace}
			if len(w.held[at]) == 0 && b.Namespace != "" {
				w.where[at.holder] = append(w.where[at.holder], b.Namespace)
			}
			w.held[at] = append(w.held[at], holding{b, i, order})
		}
	}
}

// Where are the namespaces in which a binding names one of the holders.
func (w *World) Where(holders []string) (namespaces []string) {
	for _, h := range holders {
		namespaces = append(namespaces, w.where[h]...)
	}
	slices.Sort(namespaces)
	return slices.Compact(namespaces)
}

// meant are the bindings of a place that name one of the holders of an identity, each once,
// in the order of the world.
func (w *World) meant(who Identity, holders []string, namespace string) []holding {
	var found []holding
	for _, h := range holders {
		for _, one := range w.held[spot{h, namespace}] {
			if who.Means(one.binding.Subjects[one.subject], namespace) {
				found = append(found, one)
			}
		}
	}
	slices.SortFunc(found, func(a, b holding) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.subject, b.subject))
	})
	return slices.CompactFunc(found, func(a, b holding) bool { return a.order == b.order })
}

// nothing is what a role gives that is not there.
var nothing = sameness(nil)

// sameness is the same for the same rules, in whichever world, and always of one length.
func sameness(rules []Rule) string {
	h := sha256.New()
	for _, r := range rules {
		for _, list := range [][]string{r.Verbs, r.APIGroups, r.Resources, r.ResourceNames, r.NonResourceURLs} {
			_, _ = h.Write([]byte(strings.Join(list, "\x00") + "\x01")) // a hash takes all
		}
	}
	return string(h.Sum(nil)[:16])
}
