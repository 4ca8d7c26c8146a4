package drift

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// entry is what one manager holds of an object.
type entry struct {
	metav1.ManagedFieldsEntry
	set *fieldpath.Set
}

// entriesOf reads the managed fields of an object, but for those of its status.
func entriesOf(o snapshot.Object) (list []entry) {
	for _, m := range o.GetManagedFields() {
		if m.FieldsV1 == nil || m.Subresource == "status" {
			continue
		}
		set := &fieldpath.Set{}
		if set.FromJSON(bytes.NewReader(m.FieldsV1.GetRawBytes())) != nil {
			continue // what a cluster holds is data; none of it is one that a server wrote
		}
		list = append(list, entry{m, set})
	}
	return list
}

// holds says whether a manager holds what is at a path, holds some of it, or holds the whole
// of which it is a part.
func (e entry) holds(p fieldpath.Path) bool {
	set := e.set
	for i, element := range p {
		member := set.Members.Has(element)
		below, deeper := set.Children.Get(element)
		switch {
		case i == len(p)-1:
			return member || deeper
		case member && !deeper:
			return true // held as a whole
		case !deeper:
			return false
		}
		set = below
	}
	return false
}

// automatic are the names of Kubernetes' controllers and of Demarc's operator; believed says for which
// fields they are taken to be these. Argo CD's server is none: it writes what people do in its pages.
func automatic(manager string) bool {
	return slices.Contains([]string{"kube-controller-manager", "kube-apiserver", "kube-scheduler", "kubelet", "cloud-controller-manager",
		"argocd-application-controller", "argocd-applicationset-controller"}, manager) || slices.Contains(ownership.Managers, manager)
}

// tops are what a manager holds, each as high as the manager alone made it: an element of a
// list that it added is one, and not its fields.
func (e entry) tops(appliers []entry) (list []fieldpath.Path) {
	seen := map[string]bool{}
	for p := range e.set.Leaves().All() {
		top := p.Copy()
		for i := range p {
			if p[i].Key != nil && e.has(p[:i+1]) && !slices.ContainsFunc(appliers, func(a entry) bool { return a.holds(p[:i+1]) }) {
				top = p[:i+1].Copy()
				break
			}
		}
		if text := top.String(); !seen[text] {
			seen[text] = true
			list = append(list, top)
		}
	}
	slices.SortFunc(list, func(a, b fieldpath.Path) int { return a.Compare(b) })
	return list
}

// has says whether the element itself is held, and not only what is in it.
func (e entry) has(p fieldpath.Path) bool { return e.set.Has(p) }
