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
}

// Terminal are the streams of the process.
func Terminal() IO {
	out := term.IsTerminal(int(os.Stdout.Fd()))
	return IO{
		In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: out,
		Colour:      out && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
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
