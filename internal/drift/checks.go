package drift

import "strings"

// The ids of findings. They are API: none is ever given another meaning.
const (
	Changed    = "DR001"
	Taken      = "DR002"
	Removed    = "DR003"
	Added      = "DR004"
	Missing    = "DR005"
	Undeclared = "DR006"
	Unfound    = "DR007"
	Pending    = "DR008"
)

// CheckInfo is one kind of finding.
type CheckInfo struct {
	ID, Title string
	// Means says what it is and why it matters, for people.
	Means string
}

// Checks are all of them, in order.
var Checks = []CheckInfo{
	{Changed, "A declared field has another value", "The object is declared with one value and runs with another. A note where an autoscaler keeps the field, or Argo CD was told to leave it alone."},
	{Taken, "A field was taken from what Git applied", "Somebody else than Argo CD holds a field now, and Argo CD finds the object out of sync. What Git says of the field is not in the cluster: server-side apply keeps names of fields and no values."},
	{Removed, "A declared field is gone", "The object is declared with a field that it does not have. Managed fields keep no trace of who took one away."},
	{Added, "A field was added that nobody declares", "Somebody set what Git does not mention. Argo CD does not look at such fields and calls the object Synced: it stays until somebody takes it away. What changes no behaviour, such as an annotation, is a note."},
	{Missing, "A declared object is gone", "It is declared, and the cluster does not have it."},
	{Undeclared, "Nobody declares this object", "It is in a team's namespace, no Git and no claim declares it, and no controller made it: nothing brings it back when it is lost. A note."},
	{Unfound, "Argo CD finds a difference that cannot be seen here", "An object is out of sync and no field of it was taken over: a field was taken away, or Git has moved on and is not synced yet."},
	{Pending, "What is declared has not been brought yet", "The field is still as it was applied last, and what is declared has moved on. A note: the next sync brings it."},
}

// Docs is the page that tells more of a finding.
func Docs(id string) string { return "docs/drift.md#" + strings.ToLower(id) }
