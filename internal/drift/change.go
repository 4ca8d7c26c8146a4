package drift

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/who"
)

// Change is who made a difference, with what, and when.
type Change struct {
	// Manager, Operation and Subresource are what the managed fields say; a manager names
	// itself.
	Manager     string `json:"manager,omitempty"`
	Operation   string `json:"operation,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	// Tool is what that means, Is who stands behind such a manager.
	Tool string `json:"tool,omitempty"`
	Is   string `json:"is,omitempty"`
	// User is who the API server knew them as, and As whom they acted as; from an audit log.
	User string `json:"user,omitempty"`
	As   string `json:"as,omitempty"`
	// At is when, nil where that is not known; then it was after After, and at Before or
	// before.
	At     *time.Time `json:"at,omitempty"`
	After  *time.Time `json:"after,omitempty"`
	Before *time.Time `json:"before,omitempty"`
	// From says from where it is known when.
	From string `json:"from,omitempty"`
	// Was is the value before, where an event tells it.
	Was string `json:"was,omitempty"`
}

// From where the time of a change is known.
const (
	fromFields   = "managed fields"
	fromAudit    = "the audit log"
	fromEvent    = "the Event ScalingReplicaSet"
	fromReplicas = "the ReplicaSet"
)

var replicas = field("spec", "replicas")

// changeOf is what is known of who holds a field now; live is what they made of it.
func (w *world) changeOf(d *declaration, p fieldpath.Path, e entry, declared, live string) *Change {
	c := &Change{Manager: e.Manager, Operation: string(e.Operation), Subresource: e.Subresource, Tool: tool(e), Is: who.Manager(e.Manager)}
	if automatic(e.Manager) { // else it would not be asked about
		c.Is = "whoever goes by that name: the controller of that name does not write this field"
	}
	if e.Time != nil {
		c.At, c.From = utc(e.Time.Time), fromFields
	}
	if write, ok := w.written(d.live, p, e); ok {
		c.User, c.As, c.At, c.From = write.User, write.As, utc(write.At), fromAudit
		return c
	}
	if c.At != nil {
		return c
	}
	c.After = d.appliedAt()
	if p.Equals(replicas) {
		w.scaled(d, c, declared, live)
	}
	return c
}

// unknownHand is what is known of who took away what nobody holds: what an audit log says, and else
// nothing.
func (w *world) unknownHand(d *declaration, p fieldpath.Path) *Change {
	after := d.appliedAt()
	write, ok := w.lastWrite(d.live, p, after)
	if !ok {
		if after == nil {
			return nil
		}
		return &Change{After: after}
	}
	return &Change{Manager: write.Manager, Tool: tool(write.entry()), Is: who.Manager(write.Manager), User: write.User, As: write.As,
		Subresource: write.Subresource, At: utc(write.At), From: fromAudit}
}

// appliedAt is when what is declared was last applied with something new in it. Whoever took
// a field from that did so later: an apply takes all its fields.
func (d *declaration) appliedAt() (last *time.Time) {
	for _, e := range d.appliers {
		if e.Time != nil && (last == nil || e.Time.After(*last)) {
			last = utc(e.Time.Time)
		}
	}
	return last
}

func utc(t time.Time) *time.Time {
	t = t.UTC()
	return &t
}

// tool is what a person ran to write as a manager. Only whole names are known: anybody may
// choose one that begins alike.
func tool(e entry) string {
	switch {
	case e.Manager == "kubectl" && e.Subresource == "scale":
		return "kubectl scale"
	case e.Manager == "kubectl" && e.Operation == metav1.ManagedFieldsOperationApply:
		return "kubectl apply --server-side"
	case e.Manager == applyByFile:
		return "kubectl apply"
	case strings.HasPrefix(e.Manager, "kubectl-") && who.Manager(e.Manager) != "":
		return "kubectl " + strings.TrimPrefix(e.Manager, "kubectl-")
	case e.Subresource != "":
		return e.Manager + ", by the subresource " + e.Subresource
	default:
		return e.Manager
	}
}

// newest is who wrote last of some managers; a scaling, which has no time, is taken for the
// last, since it holds what it wrote alone.
func newest(list []entry) entry {
	return slices.MaxFunc(list, func(a, b entry) int {
		switch {
		case a.Time == nil || b.Time == nil:
			return boolean(a.Time == nil) - boolean(b.Time == nil)
		default:
			return a.Time.Compare(b.Time.Time)
		}
	})
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// By says who and with what, in words.
func (c *Change) By() string {
	if c == nil || c.Tool == "" && c.User == "" {
		return ""
	}
	text := c.Tool
	if c.User != "" {
		text += " by " + c.User
	}
	if c.As != "" {
		text += " as " + c.As
	}
	if c.Tool != c.Manager && c.Manager != "" {
		text += " (manager " + c.Manager
		if c.Subresource != "" {
			text += ", subresource " + c.Subresource
		}
		text += ")"
	}
	return strings.TrimSpace(text)
}

// When says when, and from where that is known.
func (c *Change) When() string {
	const layout = "2006-01-02 15:04:05 UTC"
	if c == nil {
		return "not known"
	}
	switch {
	case c.At != nil && c.From == fromFields:
		return c.At.Format(layout) + ", the last write of this manager"
	case c.At != nil:
		return c.At.Format(layout) + ", from " + c.From
	}
	var bounds []string
	if c.After != nil {
		bounds = append(bounds, "after "+c.After.Format(layout)+", when the declared was last applied")
	}
	if c.Before != nil {
		bounds = append(bounds, fmt.Sprintf("not later than %s, from %s", c.Before.Format(layout), c.From))
	}
	why := ""
	if c.Subresource == "scale" {
		why = " (a scaling leaves no time in managed fields)"
	}
	if bounds == nil {
		return "not known" + why
	}
	return strings.Join(bounds, ", and ") + why
}
