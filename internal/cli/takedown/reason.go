package takedown

import (
	"fmt"
	"unicode/utf8"

	"demarc.dev/demarc/internal/cli/plain"
)

// longest is how many characters a reason may have: it is repeated in conditions and
// in Events, which hold no more than so much.
const longest = 1024

// Reason is the text of --reason as it is written down: one line, and not too long.
func Reason(text string) (string, error) {
	line := plain.Line(text)
	if n := utf8.RuneCountInString(line); n > longest {
		return "", fmt.Errorf("--reason is %d characters long, and at most %d are written down: say it in fewer words", n, longest)
	}
	return line, nil
}
