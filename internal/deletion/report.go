// Package deletion explains what a deletion waits for, or would wait for: which
// finalizer of which controller, since when, in whose words, and the safe next step.
// It is pure: what was read goes in, a report comes out. The order is the one that
// internal/readiness decides, in its words.
//
//	the object asked about → what it waits for → … → roots, which wait for nobody
//
// A report lists the roots first: who mends these in order is done at the end.
package deletion

import (
	"time"

	"demarc.dev/demarc/internal/ownership"
	"demarc.dev/demarc/internal/snapshot"
)

// Report is the answer.
type Report struct {
	// Object that was asked about.
	Object Object `json:"object"`
	// Unseen says that the object itself could not be read: no more is known of it.
	Unseen bool `json:"unseen,omitempty"`
	// Deleting says that its deletion has begun, at Since.
	Deleting bool       `json:"deleting"`
	Since    *time.Time `json:"since,omitempty"`
	// Says is what the one who takes it down says of it now.
	Says string `json:"says,omitempty"`
	// Plan is what kubectl delete would do, or what is still to be done, in order.
	Plan []Step `json:"plan,omitempty"`
	// Goes is what a claim or a Tenant takes with it, as far as it was read.
	Goes []Part `json:"goes,omitempty"`
	// Blockers hold the deletion now, roots first; Ahead are those that it will meet.
	Blockers []Blocker `json:"blockers,omitempty"`
	Ahead    []Blocker `json:"ahead,omitempty"`
	// Leaves is what stays behind when the deletion has come to its end.
	Leaves []Left `json:"leaves,omitempty"`
	// Unread is what could not be read and may hold an answer.
	Unread []snapshot.Unread `json:"unread,omitempty"`
	// Beyond is what could not be read and decides nothing, such as what the claim's
	// own status answers for.
	Beyond []snapshot.Unread `json:"beyond,omitempty"`
}

// Step is one step of a deletion.
type Step struct {
	// Name of the step, as internal/readiness has it where Demarc does it.
	Name string `json:"name"`
	// By is who does it.
	By string `json:"by"`
	// Does says what.
	Does string `json:"does"`
}

// Blocker is one thing that holds a deletion.
type Blocker struct {
	Object Object `json:"object"`
	// Reason is one word for it; docs/deleting.md lists them.
	Reason string `json:"reason"`
	// Finalizer that holds the object, and the controller that takes it off.
	Finalizer  string `json:"finalizer,omitempty"`
	Controller string `json:"controller,omitempty"`
	// Party that can act.
	Party ownership.Party `json:"party"`
	// Since when it holds.
	Since *time.Time `json:"since,omitempty"`
	// Until says what the controller waits for, as "until …" would go on.
	Until string `json:"until,omitempty"`
	// Says are the cluster's own words.
	Says string `json:"says,omitempty"`
	// WaitsFor names the objects of other blockers that come first.
	WaitsFor []string `json:"waitsFor,omitempty"`
	// Next is the safe next step, Command what to run for it.
	Next    string `json:"next"`
	Command string `json:"command,omitempty"`
}

// Left is an object that stays behind.
type Left struct {
	Object Object `json:"object"`
	Why    string `json:"why"`
}

// Verdict is what a report comes to.
type Verdict int

const (
	// Clean: nothing blocks, and nothing is left behind.
	Clean Verdict = iota
	// Blocked: something blocks, would block, or is left behind.
	Blocked
	// Unknown: nothing was found, and not all could be read.
	Unknown
)

// Verdict of the report. What was found counts for more than what was not read.
func (r Report) Verdict() Verdict {
	switch {
	case len(r.Blockers)+len(r.Ahead)+len(r.Leaves) > 0:
		return Blocked
	case len(r.Unread) > 0:
		return Unknown
	default:
		return Clean
	}
}
