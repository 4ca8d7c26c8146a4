package render

import (
	"fmt"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/secretshape"
)

// secrets warns of what looks like a secret in a claim; its text is never printed.
func (s *set) secrets(o *Options) error {
	found := 0
	for _, c := range s.claims {
		for _, f := range secretshape.Find(c.object) {
			found++
			warning := c.doc.Errorf(f.Path, "it looks like a secret (%s), and claims can be read by every team's people", f.Rule)
			fmt.Fprintln(o.IO.ErrOut, "warning: "+plain.Line(warning.Error()))
		}
	}
	if found == 0 {
		return nil
	}
	fmt.Fprintln(o.IO.ErrOut, "Next: put it into a Secret in the team's namespace and name that in valueFrom")
	return exit.ErrFound
}
