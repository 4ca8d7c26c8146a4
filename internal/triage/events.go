package triage

import (
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// event is an Event of either API.
type event struct {
	about           finding.Object
	uid             string
	reason, message string
	at              time.Time
}

// readEvents sorts them under what they are about, the newest first.
func (w *world) readEvents() {
	w.events = map[finding.Object][]event{}
	known := map[event]bool{} // both APIs give the same
	for _, o := range append(slices.Clone(w.objects[coreEvents]), w.objects[newEvents]...) {
		e, ok := eventOf(o)
		if ok && !known[e] {
			known[e] = true
			w.events[e.about] = append(w.events[e.about], e)
		}
	}
	for _, list := range w.events {
		slices.SortStableFunc(list, func(a, b event) int { return b.at.Compare(a.at) })
	}
}

// eventOf reads an Event of either API. Of the scheduler's lastTimestamp is null, and of
// others eventTime is: what there is counts.
func eventOf(o snapshot.Object) (event, bool) {
	about, message := child(o.Object, "involvedObject"), text(o.Object, "message")
	if about == nil {
		about, message = child(o.Object, "regarding"), text(o.Object, "note")
	}
	if about == nil {
		return event{}, false
	}
	e := event{reason: text(o.Object, "reason"), message: message, uid: text(about, "uid")}
	group, _, _ := strings.Cut(text(about, "apiVersion"), "/")
	if !strings.Contains(text(about, "apiVersion"), "/") {
		group = ""
	}
	e.about = finding.Object{Group: group, Kind: text(about, "kind"), Namespace: text(about, "namespace"), Name: text(about, "name")}
	for _, t := range []string{text(child(o.Object, "series"), "lastObservedTime"), text(o.Object, "lastTimestamp"), text(o.Object, "deprecatedLastTimestamp"), text(o.Object, "eventTime")} {
		if at, err := time.Parse(time.RFC3339, t); err == nil && at.After(e.at) {
			e.at = at
		}
	}
	if e.at.IsZero() {
		e.at = o.GetCreationTimestamp().Time
	}
	return e, true
}

func child(m map[string]any, name string) map[string]any {
	c, _ := m[name].(map[string]any)
	return c
}

func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// lately is the newest event of one of these reasons about an object, no older than an
// hour. Of an object of the same name that went before it, it says nothing.
func (w *world) lately(about finding.Object, uid string, holds func(event) bool) (event, bool) {
	for _, e := range w.events[about] {
		if w.now.Sub(e.at) > past {
			break
		}
		if (e.uid == "" || uid == "" || e.uid == uid) && holds(e) {
			return e, true
		}
	}
	return event{}, false
}

// because of these reasons, and with one of these words in the message where any is given.
func because(reason string, parts ...string) func(event) bool {
	return func(e event) bool {
		return e.reason == reason && (len(parts) == 0 || has(e.message, parts...))
	}
}

// has says that a text holds one of these, in small or large letters.
func has(text string, parts ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, strings.ToLower(p)) })
}

func (e event) evidence() finding.Evidence {
	return finding.Evidence{Object: e.about, Field: "event " + e.reason, Value: said(e.message), Time: e.at}
}
