package contract

import "slices"

// operation is a right beside the plain verbs on a kind.
type operation struct {
	name string
	// suffix of the resource in addresses: a subresource, or nothing.
	suffix string
	verbs  []string
}

// operations are those that a contract may name, in the order of rules in roles.
var operations = []operation{
	{"logs", "/log", []string{"get", "list"}},
	{"status", "/status", []string{"get"}},
	{"readScale", "/scale", []string{"get"}},
	// What an on-call needs that changes nothing of what Git says.
	{"delete", "", []string{"delete"}},
	{"exec", "/exec", []string{"create", "get"}},
	{"portForward", "/portforward", []string{"create", "get"}},
	{"scaleClaim", "", []string{"scale"}},
	{"evict", "/eviction", []string{"create"}},
	{"scale", "/scale", []string{"patch", "update"}},
	{"deploy", "", []string{"deploy"}},
	{"contact", "", []string{"contact"}},
	// Patch without update: the policy demarc-restart lets nothing but the mark of a
	// restart differ.
	{"restart", "", []string{"patch"}},
}

// Operations are the names that a contract may use.
func Operations() []string {
	names := make([]string, 0, len(operations))
	for _, o := range operations {
		names = append(names, o.name)
	}
	slices.Sort(names)
	return names
}
