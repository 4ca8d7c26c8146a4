package contract

import (
	"fmt"
	"strings"
)

// Severity says how much a problem weighs.
type Severity string

const (
	// Refused: the contract cannot be taken as it is.
	Refused Severity = "refused"
	// Warning: it can be taken, and is likely not what was meant.
	Warning Severity = "warning"
	// Note: nothing is wrong.
	Note Severity = "note"
)

// Problem is something that a contract, or a party behind it, should not be like.
type Problem struct {
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Severity Severity `json:"severity"`
	// Object is kind and name, Path the field in it.
	Object string `json:"object,omitempty"`
	Path   string `json:"path,omitempty"`
	// Message says what is wrong and what to do.
	Message string `json:"message"`
	// Party is that the contract can be taken all the same: it is a party that nobody
	// stands behind, or that cannot be reached.
	Party bool `json:"party,omitempty"`
	// stranger is that the document is of a kind that is none.
	stranger bool
}

// String is the problem as one line, with what is known of its place.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		fmt.Fprintf(&b, "%s:%d: ", p.File, max(p.Line, 1))
	}
	if p.Severity != Refused {
		b.WriteString(string(p.Severity) + ": ")
	}
	for _, part := range []string{p.Object, p.Path} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	return b.String() + p.Message
}

// problems collects what is found in one object; party is that it is one of the parties.
type problems struct {
	object string
	party  bool
	found  []Problem
}

func (p *problems) refuse(path, format string, args ...any) { p.add(Refused, path, format, args...) }
func (p *problems) warn(path, format string, args ...any)   { p.add(Warning, path, format, args...) }
func (p *problems) note(path, format string, args ...any)   { p.add(Note, path, format, args...) }

func (p *problems) add(s Severity, path, format string, args ...any) {
	p.found = append(p.found, Problem{Severity: s, Object: p.object, Path: path, Message: fmt.Sprintf(format, args...), Party: p.party})
}
