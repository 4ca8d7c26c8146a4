package takedown

import (
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/finalizer"
)

// SeeOperator is where to look when the operator says nothing.
const SeeOperator = "see whether Demarc's operator runs: kubectl -n demarc-system get deployment,pod,lease"

// unsaid says, once, that nothing was said yet: who waits for ever would never know.
func (f *Follower) unsaid() {
	f.quiet = nil
	if f.said == "" && f.last != nil {
		what, _ := f.silence()
		f.line(what)
	}
}

// still ends the following when the time is up.
func (f *Follower) still(name, explain string) error {
	what := fmt.Sprintf("%s %s is still there after %s; the deletion goes on: ", f.Kind.Word, name, f.Timeout)
	why, next := f.said, ""
	if why == "" {
		why, next = f.silence()
	}
	if next != "" {
		explain = next + "; " + explain
	}
	return exit.Refused(what+why, explain)
}

// silence says what can be seen of an object of which the operator says nothing.
func (f *Follower) silence() (what, next string) {
	if f.last == nil {
		return "it could not be looked at in that time", ""
	}
	list := f.last.GetFinalizers()
	if slices.ContainsFunc(list, func(name string) bool { return name == v1alpha1.FinalizerClaim || name == v1alpha1.FinalizerTenant }) {
		return "it does not move: Demarc's operator has said nothing of its deletion", SeeOperator
	}
	if held := strings.TrimPrefix(finalizer.Held(list), "; "); held != "" {
		return "it is " + plain.Line(held), ""
	}
	return "nothing is seen to hold it", ""
}
