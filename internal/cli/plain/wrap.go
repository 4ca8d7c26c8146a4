package plain

import (
	"strings"
	"unicode/utf8"
)

// narrowest is how many columns are left for text however deep it hangs.
const narrowest = 24

// Wrap breaks a line at blanks so that it fits into width columns, of which the first words
// begin in column at, and the lines that follow in column hang. A word that is longer stays
// whole, so that it can be copied. Width 0 breaks nothing.
func Wrap(line string, width, at, hang int) string {
	if width == 0 {
		return line
	}
	width = max(width, hang+narrowest)
	var b strings.Builder
	for i, word := range strings.Split(line, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", hang))
			at = hang
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
