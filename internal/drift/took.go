package drift

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// tookOver finds what others hold that is not judged yet: fields that nobody declares, and
// those of which only Git knows the value. It says whether one may be what Argo CD sees.
func (w *world) tookOver(d *declaration, judged []pair) (explained bool) {
	for _, e := range d.others {
		for _, p := range e.tops(d.appliers) {
			if passing(p) || w.believed(d.live, e, p) || d.transient(p) || d.covers(p, judged) {
				continue
			}
			live, there := at(d.live.Object, p)
			unread := d.unreadData() && names(p)[0] == "data"
			if !there && !unread || !unread && defaulted(d.live, p) {
				continue
			}
			change := w.changeOf(d, p, e, "", shown(p, live).text)
			if d.adds(change, p) {
				w.added(d, p, change, live)
				continue
			}
			w.taken(d, p, change, live)
			explained = true
		}
	}
	return explained
}

// passing are fields that say how the object is kept, and not what it is.
func passing(p fieldpath.Path) bool {
	of := names(p)
	switch {
	case len(of) == 0, of[0] == "status", of[0] == "apiVersion", of[0] == "kind":
		return true
	case of[0] != "metadata":
		return false
	case len(of) < 3 || of[1] != "annotations" && of[1] != "labels":
		return len(of) < 2 || of[1] != "finalizers"
	default:
		return of[2] == corev1.LastAppliedConfigAnnotation || of[2] == "deployment.kubernetes.io/revision"
	}
}

// transient says that a field asks Argo CD to do something, and goes when it is done.
func (d *declaration) transient(p fieldpath.Path) bool {
	of := names(p)
	return keyOf(d.live).GroupKind == ApplicationKind && (of[0] == "operation" || of[len(of)-1] == "argocd.argoproj.io/refresh")
}

// covers says whether a field was judged already, or is declared and as it was declared.
func (d *declaration) covers(p fieldpath.Path, judged []pair) bool {
	for _, j := range judged {
		if n := min(len(p), len(j.path)); p[:n].Equals(j.path[:n]) {
			return true
		}
	}
	if d.said != nil && (!d.unreadData() || names(p)[0] != "data") {
		_, said := at(folded(d.said), p)
		return said
	}
	return slices.ContainsFunc(d.appliers, func(a entry) bool { return a.holds(p) })
}

// adds says that a field which another holds is not one that is declared: the declaration
// does not have it, Argo CD has compared since and found nothing, or the other made the
// whole of it.
func (d *declaration) adds(c *Change, p fieldpath.Path) bool {
	if d.asText(p) {
		return false
	}
	known := d.said != nil && !d.unreadData()
	restarted := strings.HasPrefix(names(p)[len(names(p))-1], "kubectl.kubernetes.io/")
	if known || restarted || p[len(p)-1].Key != nil {
		return true
	}
	if d.by.Sync != "Synced" {
		return false
	}
	at := cmp.Or(c.At, c.Before)
	compared := d.app.compared()
	return at == nil || compared.IsZero() || !compared.Before(*at)
}

// asText says that a value of a Secret was applied as stringData: the server keeps it as data,
// and whoever changes that does not take the one from who applied it.
func (d *declaration) asText(p fieldpath.Path) bool {
	of := names(p)
	return keyOf(d.live).GroupKind == secretKind && len(of) == 2 && of[0] == "data" &&
		slices.ContainsFunc(d.appliers, func(a entry) bool { return a.holds(field("stringData", of[1])) })
}
