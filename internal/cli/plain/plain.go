// Package plain makes text from a cluster, or from a file, safe to print: such text
// is data, and must not move the cursor, colour, hide or reorder what a person reads.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Line is a text as one line.
func Line(text string) string {
	return strings.TrimSpace(clean(text, ' '))
}

// Text keeps line breaks and drops every other control character.
func Text(text string) string { return clean(text, '\n') }

func clean(text string, lineBreak rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return lineBreak
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// JSON with the control characters that its writer leaves in strings escaped: the
// same document, safe to look at.
func JSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
