package who

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/snapshot"
)

// changed lists who changed the object last, by its managed fields, and where a field is
// asked about who holds that.
func (d *decision) changed() {
	if d.live == nil {
		return
	}
	entries := d.live.GetManagedFields()
	if len(entries) == 0 {
		d.note("Who changed it last is not known: its managed fields were not read%s.",
			map[bool]string{true: " (kubectl get --show-managed-fields -o yaml)"}[d.From == FromFiles])
		return
	}
	for _, e := range entries {
		one := Changed{Manager: e.Manager, Is: managers[e.Manager], Operation: string(e.Operation), Subresource: e.Subresource}
		if e.Time != nil {
			at := e.Time.UTC()
			one.At = &at
		}
		if d.answer.Field != "" {
			held, err := holds(e, d.Field, d.live.Object)
			if err != nil {
				d.note("The managed fields of %s cannot be read: %v.", e.Manager, err)
			}
			if len(held) == 0 {
				continue
			}
			one.Holds = held
		}
		d.answer.Changed = append(d.answer.Changed, one)
	}
	slices.SortStableFunc(d.answer.Changed, func(a, b Changed) int {
		return cmp.Or(newer(a.At, b.At), cmp.Compare(a.Manager, b.Manager))
	})
	if d.answer.Field != "" && len(d.answer.Changed) == 0 {
		d.note("No manager holds %s: it was left to its default, or no apply or update has set it.", d.answer.Field)
	}
}

func newer(a, b *time.Time) int {
	if a == nil || b == nil {
		return cmp.Compare(b2i(a == nil), b2i(b == nil))
	}
	return b.Compare(*a)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// synced is what Argo CD did last with an Application: the operation, or the newest of
// its history.
func (d *decision) synced(app snapshot.Object) {
	word := func(fields ...string) string {
		text, _, _ := unstructured.NestedString(app.Object, fields...)
		return text
	}
	s := Synced{Application: app.GetNamespace() + "/" + app.GetName()}
	s.Phase, s.At = word("status", "operationState", "phase"), when(word("status", "operationState", "finishedAt"))
	s.Revision = word("status", "operationState", "syncResult", "revision")
	s.By = by(app.Object, "status", "operationState", "operation", "initiatedBy")
	history, _, _ := unstructured.NestedSlice(app.Object, "status", "history")
	if len(history) > 0 && s.At == nil {
		last, _ := history[len(history)-1].(map[string]any)
		deployed, _ := last["deployedAt"].(string)
		s.Phase, s.At = "Succeeded", when(deployed)
		s.Revision, _ = last["revision"].(string)
		s.By = by(last, "initiatedBy")
	}
	if s.At != nil || s.Phase != "" {
		d.answer.Synced = &s
	}
}

// by says who started a sync.
func by(from map[string]any, fields ...string) string {
	initiated, _, _ := unstructured.NestedMap(from, fields...)
	if name, _ := initiated["username"].(string); name != "" {
		return name
	}
	if automated, _ := initiated["automated"].(bool); automated {
		return "Argo CD by itself"
	}
	return ""
}

func when(text string) *time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	at = at.UTC()
	return &at
}
