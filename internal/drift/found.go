package drift

import (
	"cmp"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// changed is for a declared field that has another value, or is gone; people hold it.
func (w *world) changed(d *declaration, p pair, people []entry) {
	declared, live := shown(p.path, p.declared), shown(p.path, p.live)
	if w.secret(d, p.path) {
		declared, live = hidden, hidden
	}
	var change *Change
	if len(people) > 0 {
		change = w.changeOf(d, p.path, newest(people), declared.text, live.text)
	} else {
		change = w.unknownHand(d, p.path)
	}
	out := w.difference(Changed, d, p.path, change)
	out.Known, out.Declared, out.Live, out.Hidden = true, declared.text, live.text, declared.hidden || live.hidden
	switch says := d.by.says(); {
	case p.gone:
		out.ID, out.Live = Removed, ""
		out.Message = fmt.Sprintf("%s is gone, and %s with %s", out.Field, says, declared)
	case out.Hidden:
		out.Message = fmt.Sprintf("%s has another value than %s; neither is shown", out.Field, d.by)
	default:
		out.Message = fmt.Sprintf("%s is %s, and %s with %s", out.Field, live, says, declared)
	}
	w.finish(d, out, p.path, false)
}

// taken is for a field that another holds than applied the object, whose declared value only
// Git knows.
func (w *world) taken(d *declaration, p fieldpath.Path, c *Change, live any) {
	out := w.difference(Taken, d, p, c)
	out.Declared, out.Live, out.Hidden = c.Was, shown(p, live).text, shown(p, live).hidden || w.secret(d, p)
	by := "Argo CD finds the object out of sync, and what Git says of it, if anything, is not in the cluster"
	if d.by.Sync != "OutOfSync" {
		if names(p)[0] == "metadata" {
			out.Severity = finding.Note
		}
		by = "whether " + d.by.String() + " declares it, and with what, is not in the cluster"
	}
	is := "is " + shown(p, live).String()
	if out.Hidden {
		out.Live, is = "", "has a value that is not shown"
	}
	if c.Was != "" {
		is += ", was " + c.Was + " before"
	}
	out.Message = fmt.Sprintf("%s %s, and is not held by who applied it: %s", out.Field, is, by)
	w.finish(d, out, p, false)
}

func (w *world) added(d *declaration, p fieldpath.Path, c *Change, live any) {
	out := w.difference(Added, d, p, c)
	value := shown(p, live)
	if w.secret(d, p) {
		value = hidden
	}
	out.Known, out.Live, out.Hidden = true, value.text, value.hidden
	out.Message = fmt.Sprintf("%s is %s, and %s says nothing of it", out.Field, value, d.by)
	if value.hidden {
		out.Message = fmt.Sprintf("%s was set, to what is not shown, and %s says nothing of it", out.Field, d.by)
	}
	if names(p)[0] == "metadata" || strings.HasPrefix(dotted(p), "spec.template.metadata.") {
		out.Severity = finding.Note
	}
	w.finish(d, out, p, true)
}

// pending is for a field that is as it was applied, while the declaration has moved on.
func (w *world) pending(d *declaration, p pair) {
	declared, live := shown(p.path, p.declared), shown(p.path, p.live)
	out := w.difference(Pending, d, p.path, nil)
	out.Known, out.Declared, out.Live, out.Hidden = true, declared.text, live.text, declared.hidden || live.hidden
	out.Message = fmt.Sprintf("%s is %s as it was applied last, and %s by now with %s", out.Field, live, d.by.says(), declared)
	out.Severity = finding.Note
	out.Then = Then{Unknown, "the next sync brings what is declared"}
	if d.app != nil && d.app.stuck() != "" {
		out.Then.Says = "Argo CD does not get there: " + d.app.stuck()
	}
	w.add(d, out, p.path)
}

// unfound is for an object that Argo CD finds out of sync while nothing of it is seen here.
func (w *world) unfound(d *declaration) {
	out := w.difference(Unfound, d, nil, nil)
	out.Message = "Argo CD finds it out of sync, and no field of it is held by anybody else: a field was taken away, or Git has moved on"
	if len(d.live.GetManagedFields()) == 0 {
		out.Message = "Argo CD finds it out of sync; in which field cannot be told without managed fields"
	}
	out.Then = d.app.next("brought into line", "it is")
	if d.app.running() {
		out.Severity, out.Then = finding.Note, Then{Reverts, "a sync is under way"}
	}
	w.add(d, out, nil)
}

// says is how a source declares.
func (s Source) says() string { return s.String() + " declares it" }

// difference begins one.
func (w *world) difference(id string, d *declaration, p fieldpath.Path, c *Change) Difference {
	return Difference{Finding: finding.Finding{ID: id, Severity: finding.Warning, Object: object(d.live), Docs: Docs(id)},
		Field: words(p), By: d.by, Change: c}
}

func object(o snapshot.Object) finding.Object {
	return finding.Object{Group: o.GroupVersionKind().Group, Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()}
}

// finish says what happens next; what is left alone by order, or kept by an autoscaler, is a
// note.
func (w *world) finish(d *declaration, out Difference, p fieldpath.Path, added bool) {
	manager := ""
	if out.Change != nil {
		manager = out.Change.Manager
	}
	out.Then = w.next(d, p, manager, added)
	if out.Then.What == Ignored || out.Then.What == Overwrite {
		out.Severity = finding.Note
	}
	out.Mend.Says = d.keep(p)
	if added {
		out.Mend.Says = strings.Split(out.Mend.Says, "; ")[0] + "; if not, take it away by hand"
	}
	w.add(d, out, p)
}

// add puts a finding into the report, with whose it is and what was seen.
func (w *world) add(d *declaration, out Difference, p fieldpath.Path) {
	out.Domain, out.Owner, out.Team = w.whose(d.live, dotted(p))
	seen := finding.Evidence{Object: out.Object, Field: out.Field, Value: out.Live}
	if c := out.Change; c != nil && c.At != nil {
		seen.Time = *c.At
	}
	if out.Hidden {
		seen.Value = hidden.String()
	}
	out.Evidence = append(out.Evidence, seen)
	if d.app != nil {
		app := object(d.app.object)
		out.Evidence = append(out.Evidence, finding.Evidence{Object: app, Field: "status.resources", Value: cmp.Or(d.by.Sync, "not listed"), Time: d.app.compared()})
	}
	if out.Mend.Says == "" {
		out.Mend.Says = d.keep(p)
	}
	w.report.Findings = append(w.report.Findings, out)
}
