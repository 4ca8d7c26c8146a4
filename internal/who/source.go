package who

import (
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/snapshot"
)

// Unanswerable says why the contract could not be read where it is not the right that
// is missing: then the shipped one would be a guess.
func Unanswerable(set *snapshot.Set) string {
	if missed, ok := set.Missed(contracts, "", v1alpha1.ContractName); ok {
		return missed.Why
	}
	return ""
}

// FromSet answers from files: what they do not hold is not known.
func FromSet(set *snapshot.Set, q Question) Answer {
	decision := Decide(set, q)
	if q.From == FromNothing {
		return decision.Answer
	}
	for _, ref := range decision.Wants {
		asked := q.Object != nil && ref == Ref{q.Object.GroupKind(), q.Object.Namespace, q.Object.Name}
		if _, missed := set.Missed(ref.Kind, ref.Namespace, ref.Name); missed || ref.Kind == contracts || asked && inFiles(set, ref) {
			continue // the answer says so already
		}
		resource := kindOf(ref.Kind).Resource
		if resource == "" {
			resource = strings.ToLower(ref.Kind.Kind)
		}
		decision.Unread = append(decision.Unread, snapshot.Unread{Verb: "get", Group: ref.Kind.Group, Kind: ref.Kind.Kind,
			Resource: resource, Namespace: ref.Namespace, Name: ref.Name, Why: NotInFiles(set, ref)})
	}
	return decision.Answer
}

// inFiles says that an object would be in the files if it were there: others of its kind
// are, and something of its namespace is.
func inFiles(set *snapshot.Set, ref Ref) bool {
	return len(set.Of(ref.Kind)) > 0 && (ref.Namespace == "" || len(set.In(ref.Namespace)) > 0 || set.Get(namespaces, "", ref.Namespace) != nil)
}

// NotInFiles says why an object is not known from files.
func NotInFiles(set *snapshot.Set, ref Ref) string {
	switch {
	case inFiles(set, ref):
		return "not in the files"
	case len(set.Of(ref.Kind)) == 0:
		return "no " + ref.Kind.Kind + " is in the files"
	default:
		return "nothing of namespace " + ref.Namespace + " is in the files"
	}
}

// NoField says that what is asked about has no such field, by what is known of the fields
// of its kind and by the object itself; unknown is empty where it may have.
func NoField(set *snapshot.Set, q Question) (unknown, instead string) {
	if q.Object == nil || len(q.Field.steps) == 0 {
		return "", ""
	}
	if live := set.Get(q.Object.GroupKind(), q.Object.Namespace, q.Object.Name); live != nil && q.Field.there(live.Object) {
		return "", ""
	}
	return contract.NoField(q.Object.GroupKind(), q.Field.names())
}

// Repository says whether the contract names the repository that is asked about, and
// which it names.
func Repository(set *snapshot.Set, q Question) (names []string, ok bool) {
	c, _ := contractOf(&reader{set: set}, q.From)
	for _, r := range c.Spec.Repositories {
		names = append(names, r.Name)
	}
	return names, q.File == nil || q.File.Repository == "" || hasRepository(c, q.File.Repository)
}
