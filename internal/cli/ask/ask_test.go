package ask_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/cli/ask"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

func TestConfirm(t *testing.T) {
	cases := map[string]struct {
		answer        string
		terminal, yes bool
		code          int
		asked         bool
	}{
		"yes beforehand":           {"", false, true, exit.Done, false},
		"no terminal":              {"y\n", false, false, exit.No, false},
		"y":                        {"y\n", true, false, exit.Done, true},
		"Yes":                      {" Yes \n", true, false, exit.Done, true},
		"no":                       {"n\n", true, false, exit.No, true},
		"only enter":               {"\n", true, false, exit.No, true},
		"the end of the input":     {"", true, false, exit.No, true},
		"a word that is no answer": {"yep\n", true, false, exit.No, true},
		"yes without a line's end": {"yes", true, false, exit.Done, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := ask.Confirm(t.Context(), factory.IO{In: strings.NewReader(c.answer), ErrOut: &out, InTerminal: c.terminal}, "Sure?", c.yes)
			if got := exit.Code(err); got != c.code {
				t.Errorf("it ends with %d, want %d: %v", got, c.code, err)
			}
			if asked := out.String() == "Sure? [y/N] "; asked != c.asked {
				t.Errorf("it printed %q", out.String())
			}
		})
	}
}

// Who is asked can leave by an interrupt.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	if err := ask.Confirm(ctx, factory.IO{In: in, ErrOut: io.Discard, InTerminal: true}, "Sure?", false); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}
