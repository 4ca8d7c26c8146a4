package drift

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail/admitted"
)

// compare looks at one object that is declared and there.
func (w *world) compare(d *declaration) {
	pairs := d.pairs()
	explained, loose := false, []pair{}
	for _, p := range pairs {
		if d.nobodys(p) {
			loose = append(loose, p)
		} else {
			explained = w.judge(d, p) || explained
		}
	}
	explained = w.tookOver(d, pairs) || explained
	others := explained
	for _, p := range loose {
		explained = w.heldByNobody(d, p, others) || explained
	}
	if !explained && d.by.Sync == "OutOfSync" && !d.says.Hook && !d.says.RequiresPruning {
		w.unfound(d)
	}
}

// pairs are the declared fields that differ; empty where only names of fields are known.
func (d *declaration) pairs() []pair {
	if d.said == nil {
		return nil
	}
	gvk := d.live.GroupVersionKind()
	said := folded(d.said)
	if from := schema.FromAPIVersionAndKind(text(said["apiVersion"]), text(said["kind"])); from != gvk {
		turned, ok := normal(said, gvk, false)
		if !ok {
			return nil // declared in a version to which nothing here converts
		}
		said = turned
	}
	filled, ok := normal(said, gvk, true)
	live, also := normal(d.live.Object, gvk, false)
	if !ok || !also {
		return nil
	}
	c := comparison{loose: !admitted.Builtin(gvk)}
	for _, name := range sortedKeys(said) {
		switch part := said[name]; name {
		case "apiVersion", "kind", "status":
		case "metadata":
			for _, of := range []string{"annotations", "labels"} {
				metadata, _ := part.(map[string]any)
				c.walk(field("metadata", of), metadata[of], below(filled["metadata"], of), below(live["metadata"], of))
			}
		default:
			c.walk(field(name), part, filled[name], live[name])
		}
	}
	if d.unreadData() {
		return slices.DeleteFunc(c.pairs, func(p pair) bool { return names(p.path)[0] == "data" })
	}
	return c.pairs
}

// unreadData says that a Secret was read without what is in it.
func (d *declaration) unreadData() bool {
	_, data := d.live.Object["data"]
	return keyOf(d.live).GroupKind == secretKind && !data
}

func below(node any, name string) any {
	fields, _ := node.(map[string]any)
	return fields[name]
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// judge says whose doing a difference is; false where it is none to be told.
func (w *world) judge(d *declaration, p pair) bool {
	holds := func(e entry) bool { return e.holds(p.path) }
	var people, controllers []entry
	for _, e := range d.others {
		switch {
		case !holds(e):
		case w.believed(d.live, e, p.path):
			controllers = append(controllers, e)
		default:
			people = append(people, e)
		}
	}
	scaler := w.autoscaler(d.live)
	switch {
	case len(people) > 0:
		w.changed(d, p, people)
	case leftOut(p.live):
		return false // what a dump does not have is not compared
	case p.path.Equals(replicas) && scaler != nil:
		w.apart(ApartAutoscaler)
	case len(controllers) > 0:
		w.apart(ApartController)
	case len(d.live.GetManagedFields()) > 0:
		return w.asApplied(d, p)
	case d.charted && d.by.Sync == "Synced":
		w.apart(ApartChart)
	default:
		w.changed(d, p, nil)
	}
	return true
}

// nobodys says that no manager holds a field: it was taken away, or changed on its way in.
func (d *declaration) nobodys(p pair) bool {
	holds := func(e entry) bool { return e.holds(p.path) }
	return len(d.live.GetManagedFields()) > 0 && !slices.ContainsFunc(d.appliers, holds) && !slices.ContainsFunc(d.others, holds)
}

// asApplied is for a field that whoever applies it holds, with another value than is declared.
func (w *world) asApplied(d *declaration, p pair) bool {
	switch {
	case d.by.Claim != "" && (!d.charted || d.by.Sync == "OutOfSync"), d.by.Claim != "" && d.app == nil:
		w.pending(d, p)
		return true
	case d.charted:
		w.apart(ApartChart)
	default:
		w.apart(ApartAdmission)
	}
	return false
}

// heldByNobody is for a field that no manager holds. Where others explain why the object is
// out of sync, the platform's chart may not have the field at all.
func (w *world) heldByNobody(d *declaration, p pair, others bool) bool {
	switch {
	case p.path.Equals(replicas) && w.autoscaler(d.live) != nil:
		w.apart(ApartAutoscaler)
		return false
	case d.charted && d.by.Sync == "Synced":
		w.apart(ApartChart)
		return false
	case !p.gone && d.by.Sync != "OutOfSync":
		w.apart(ApartAdmission)
		return false
	default:
		w.changed(d, p, nil)
		if last := &w.report.Findings[len(w.report.Findings)-1]; d.charted && others {
			last.Severity = finding.Note
			last.Message += ", unless the platform's chart renders it otherwise than the one here"
		}
		return true
	}
}
