package who

import (
	"fmt"
	"slices"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// Decision is an answer, and what it takes to know more.
type Decision struct {
	Answer
	// Wants are the objects that were looked for and are not in the snapshot.
	Wants []Ref
	// Asks are the rights of who asks that it would tell.
	Asks []Access
}

// reader looks objects up, and remembers what it did not find.
type reader struct {
	set   *snapshot.Set
	wants []Ref
}

func (r *reader) get(ref Ref) snapshot.Object {
	o := r.set.Get(ref.Kind, ref.Namespace, ref.Name)
	if o == nil && ref.Name != "" && !slices.Contains(r.wants, ref) {
		r.wants = append(r.wants, ref)
	}
	return o
}

// decision is one answer on its way.
type decision struct {
	*reader
	Question
	answer   Answer
	contract *contract.Contract
	settings render.Settings
	platform *v1alpha1.Platform
	// object is what is asked about, or what an alert names; live is it as it was read. other
	// is that the domain is not about it.
	object *Object
	live   snapshot.Object
	other  bool
	domain *v1alpha1.ContractDomain
	team   team
}

// Decide answers a question from what was read.
func Decide(set *snapshot.Set, q Question) Decision {
	d := &decision{reader: &reader{set: set}, Question: q, object: q.Object}
	d.contract, d.answer.Contract = contractOf(d.reader, q.From)
	if o := d.get(Ref{platforms, "", v1alpha1.PlatformName}); o != nil {
		d.platform = decoded[v1alpha1.Platform](d, o)
	}
	d.settings = render.SettingsOf(d.platform)
	switch {
	case q.Alert != nil:
		d.alert()
	case q.File != nil:
		d.file()
	default:
		d.asked()
	}
	d.say()
	d.answer.Unread = set.Unread()
	return Decision{Answer: d.answer, Wants: d.wants, Asks: d.asks()}
}

// say makes the parts of an answer, once it is known what it is about.
func (d *decision) say() {
	d.answer.Team = d.team.name
	d.answer.Domain = d.describe(d.domain)
	d.duties()
	d.parties()
	d.change()
	d.changed()
	d.you()
}

func (d *decision) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(d.answer.Notes, text) {
		d.answer.Notes = append(d.answer.Notes, text)
	}
}
