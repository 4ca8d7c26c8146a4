package who

import (
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
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
		if _, missed := set.Missed(ref.Kind, ref.Namespace, ref.Name); missed || ref.Kind == contracts || asked {
			continue // the answer says so already
		}
		resource := kindOf(ref.Kind).Resource
		if resource == "" {
			resource = strings.ToLower(ref.Kind.Kind)
		}
		decision.Unread = append(decision.Unread, snapshot.Unread{Verb: "get", Group: ref.Kind.Group, Kind: ref.Kind.Kind,
			Resource: resource, Namespace: ref.Namespace, Name: ref.Name, Why: "not in the files"})
	}
	return decision.Answer
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
