package factory

import (
	"io"
	"os"

	"golang.org/x/term"

	"demarc.dev/demarc/internal/cli/plain"
)

// IO are the streams of a run.
type IO struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer
	// InTerminal says that a person can be asked on In.
	InTerminal bool
	// OutTerminal says that a person reads Out, Colour that it shows colours.
	OutTerminal, Colour bool
	// Width is how many columns Out has; 0 where no person reads it, and nothing is wrapped.
	Width int
}

// Terminal are the streams of the process.
func Terminal() IO {
	out := term.IsTerminal(int(os.Stdout.Fd()))
	return IO{
		In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: out,
		Width:       width(out),
		Colour:      out && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
}

// usual is the width of a terminal that does not tell it.
const usual = 80

func width(terminal bool) int {
	if !terminal {
		return 0
	}
	if columns, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && columns > 0 {
		return columns
	}
	return usual
}

// Colours, by what they say.
const (
	Good = "32"
	Wait = "33"
	Bad  = "31"
	Bold = "1"
)

// Data is a document as Out takes it: exact where a program reads it, without control
// characters where a person does.
func (s IO) Data(text string) string {
	if s.OutTerminal {
		return plain.Text(text)
	}
	return text
}

// Paint colours a text that holds none of the cluster's control characters.
func (s IO) Paint(colour, text string) string {
	if !s.Colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
