// Package ask asks a person before something is done that cannot be undone.
package ask

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

// Confirm asks a question that yes answers beforehand. Without a terminal nobody is
// asked and nothing is done.
func Confirm(ctx context.Context, io factory.IO, question string, yes bool) error {
	if yes {
		return nil
	}
	if !io.InTerminal {
		return exit.Refused("not confirmed: there is no terminal to ask on, so nothing was changed", "give --yes if that is what you want")
	}
	fmt.Fprintf(io.ErrOut, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // ends with the process where nobody answers
		line, _ := bufio.NewReader(io.In).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case line := <-answer:
		if line == "y" || line == "yes" {
			return nil
		}
		return exit.Refused("not confirmed: nothing was changed", "")
	}
}
