package contract

import (
	"slices"
	"strings"

	"demarc.dev/demarc/internal/ownership"
)

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
	{asks, "", []string{ownership.VerbRequest}},
	{approves, "", []string{ownership.VerbApprove}},
	// Patch without update: the policy demarc-restart lets nothing but the mark of a
	// restart differ.
	{"restart", "", []string{"patch"}},
}

// asks is the operation by which people ask for what a domain's approves then answers;
// approves follows from that answer and is not written in a contract.
const asks, approves = "request", "approve"

// Takes says what an operation takes: verbs on a subresource of the kind, or on the
// kind itself where that is empty; ok is whether there is such an operation.
func Takes(name string) (subresource string, verbs []string, ok bool) {
	for _, o := range operations {
		if o.name == name {
			return strings.TrimPrefix(o.suffix, "/"), slices.Clone(o.verbs), true
		}
	}
	return "", nil, false
}

// Operations are the names that a contract may use.
func Operations() []string {
	names := make([]string, 0, len(operations))
	for _, o := range operations {
		if o.name != approves {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}
