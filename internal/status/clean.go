package status

import (
	"regexp"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/secretshape"
)

const (
	// MostLines and mostBytes bound what is shown of a log, longest one line of it.
	MostLines = 20
	mostBytes = 8 << 10
	longest   = 1000
	// leftOut stands in the place of a line.
	leftOut = "(left out: it looks like a secret)"
)

var (
	keyBegins = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY`)
	keyEnds   = regexp.MustCompile(`-----END [A-Z0-9 ]*PRIVATE KEY`)
	// escapes are the terminal's: colours and titles.
	escapes = regexp.MustCompile("\x1b(\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z\\\\^_])")
)

// Lines are the last lines of a log, safe to be shown: without control characters, and with
// what looks like a secret left out, which hidden counts. There are at most 20, and 8 KiB.
func Lines(text string) (lines []string, hidden int) {
	text = escapes.ReplaceAllString(text, "")
	all := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	if len(all) == 1 && all[0] == "" {
		return nil, 0
	}
	hide := secrets(all)
	size := 0
	for i := len(all) - 1; i >= 0 && len(lines) < MostLines; i-- {
		line := leftOut
		if !hide[i] {
			line = cut(strings.TrimRight(plain.Line(all[i]), " "), longest)
		}
		if size += len(line) + 1; size > mostBytes {
			break
		}
		if hide[i] {
			hidden++
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return lines, hidden
}

// secrets says of each line whether it looks like a secret. A private key does so with all
// its lines, also where it began before them.
func secrets(lines []string) []bool {
	hide := make([]bool, len(lines))
	inKey := false
	for i, line := range lines {
		begins, ends := keyBegins.MatchString(line), keyEnds.MatchString(line)
		if ends && !inKey && !begins {
			for j := range i {
				hide[j] = true
			}
		}
		inKey = inKey || begins
		hide[i] = inKey || ends || secret(line)
		inKey = inKey && !ends
	}
	return hide
}

// secret says that a line holds what looks like a secret, by its shape or by the name that it
// has there. It is looked at as it would be shown, and as it stands.
func secret(line string) bool {
	for _, text := range []string{line, plain.Line(line)} {
		if secretshape.Lines(text) != text {
			return true
		}
	}
	return false
}

// shown is what a program said, such as an answer to a probe, unless it looks like a secret.
func shown(text string) string {
	if secret(text) {
		return leftOut
	}
	return text
}

// left is what a container left as its last words, as one line that may be shown.
func left(message string) string {
	lines, _ := Lines(message)
	if len(lines) == 0 {
		return ""
	}
	return cut(lines[len(lines)-1], 200)
}

// cut shortens a text to n characters.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// clean leaves what looks like a secret out of the words of an answer; of a log it is done, and of
// findings by triage.
func (a *Answer) clean() {
	for _, said := range []*Said{&a.Overall, &a.Running, &a.Ready, &a.Restarted, &a.Log.Said, &a.Image, &a.Rollout, &a.Throttled} {
		said.Says = secretshape.Sentence(said.Says)
	}
	for i := range a.Conditions {
		a.Conditions[i].Message = secretshape.Sentence(a.Conditions[i].Message)
	}
	for i := range a.Changes {
		a.Changes[i].What = secretshape.Sentence(a.Changes[i].What)
	}
	for i := range a.Notes {
		a.Notes[i] = secretshape.Sentence(a.Notes[i])
	}
	a.BudgetSays = secretshape.Sentence(a.BudgetSays)
}
