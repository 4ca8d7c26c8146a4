// Package compile makes out of a rule what the API server evaluates, what the chart ships
// and what people read: the policy, its three bindings and its page.
package compile
