package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	numbered = regexp.MustCompile(`line (\d+): `)
	prefixes = strings.NewReplacer("yaml: ", "", "error converting YAML to JSON: ", "", "unmarshal errors:\n", "")
	// anchored names the anchor that an error is about.
	anchored = regexp.MustCompile(`anchor '([^']+)'`)
	// fromZero are errors whose lines the library counts from 0: those of its parser. It
	// counts those of its scanner from 1.
	fromZero = regexp.MustCompile(`^did not find expected (node content|key|'-' indicator|',' or '[]}]'|<)|^found (undefined tag handle|duplicate %|incompatible YAML)`)
)

// syntax is what a library says of a text that cannot be read, with the line of the file.
func syntax(where Place, p piece, err error) error {
	if line, says, ok := inJSON(p.text); ok {
		where.Line = p.base + line
		return &Fault{Place: where, Text: "this is no JSON: " + says}
	}
	line, text := numberOf(prefixes.Replace(err.Error()))
	switch {
	case line == 0:
		line = lineOf(text, p.text)
	case fromZero.MatchString(text):
		line++
	case strings.Contains(text, "a tab character"): // the line is that of what stands before it
		line = tabbed(p.text, line)
	}
	if line > 0 {
		where.Line = p.base + min(line, 1+strings.Count(strings.TrimRight(p.text, " \n"), "\n"))
	}
	return &Fault{Place: where, Text: "this is no YAML: " + strings.TrimSpace(text)}
}

// numberOf takes the line out of what a library says; 0 is that none is in it.
func numberOf(says string) (line int, rest string) {
	m := numbered.FindStringSubmatchIndex(says)
	if m == nil {
		return 0, says
	}
	line, _ = strconv.Atoi(says[m[2]:m[3]])
	return line, says[:m[0]] + says[m[1]:]
}

// tabbed is the first line from one on that is indented by a tab, or else that one.
func tabbed(text string, from int) int {
	for i, line := range strings.Split(text, "\n") {
		if i+1 >= from && strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
			return i + 1
		}
	}
	return from
}

// lineOf finds the line of what the library names without one; 0 is that it is not found.
func lineOf(says, text string) int {
	at := -1
	switch m := anchored.FindStringSubmatch(says); {
	case m != nil:
		at = strings.Index(text, "*"+m[1])
	case strings.Contains(says, "control characters"):
		at = strings.IndexFunc(text, func(r rune) bool {
			return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85
		})
	case strings.Contains(says, "UTF-8"):
		at = len(text) - len(strings.TrimLeftFunc(text, func(r rune) bool { return r != utf8.RuneError }))
	}
	if at < 0 {
		return 0
	}
	return 1 + strings.Count(text[:at], "\n")
}

// inJSON says what is wrong with a text that is meant for JSON: its reader knows better
// where that is.
func inJSON(text string) (line int, says string, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), `{"`) {
		return 0, "", false
	}
	var wrong *json.SyntaxError
	if err := json.Unmarshal([]byte(text), new(any)); !errors.As(err, &wrong) {
		return 0, "", false
	}
	before := text[:min(int(wrong.Offset), len(text))]
	return 1 + strings.Count(strings.TrimRight(before, "\n"), "\n"), fmt.Sprint(wrong), true
}
