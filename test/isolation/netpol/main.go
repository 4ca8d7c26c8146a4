// Command netpol says which traffic NetworkPolicies let through. It is a module of
// its own, so that what the evaluation needs does not become Demarc's.
//
// It reads policies and traffic as JSON from its input and writes for each traffic
// whether it is let through, in the same order. No packet is sent.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	networkingv1 "k8s.io/api/networking/v1"
)

type question struct {
	Policies []*networkingv1.NetworkPolicy `json:"policies"`
	Traffic  []*matcher.Traffic            `json:"traffic"`
}

func main() {
	if err := answer(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "evaluate network policies:", err)
		os.Exit(1)
	}
}

func answer(in io.Reader, out io.Writer) error {
	var q question
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	policy := matcher.BuildNetworkPolicies(false, q.Policies)
	allowed := make([]bool, 0, len(q.Traffic))
	for _, t := range q.Traffic {
		allowed = append(allowed, policy.IsTrafficAllowed(t).IsAllowed())
	}
	return json.NewEncoder(out).Encode(allowed)
}
