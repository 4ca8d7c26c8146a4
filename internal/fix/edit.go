package fix

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"demarc.dev/demarc/internal/manifest"
)

// errByHand is that a place is written so that a machine had better leave it alone.
var errByHand = errors.New("it is written so that it has to be changed by hand")

// text is a file in lines, each with its end.
type text struct {
	lines []string
	// json is that keys and words stand in quotes.
	json bool
}

func lines(s string) []string { return strings.SplitAfter(s, "\n") }

func (t text) String() string { return strings.Join(t.lines, "") }

// replace puts something in the place of n characters, at a line and a column, both from 1.
func (t text) replace(line, column, n int, with string) error {
	if line < 1 || line > len(t.lines) {
		return errByHand
	}
	runes := []rune(t.lines[line-1])
	if column < 1 || column-1+n > len(runes) {
		return errByHand
	}
	t.lines[line-1] = string(runes[:column-1]) + with + string(runes[column-1+n:])
	return nil
}

// insert puts lines before a line, from 1; behind the last one that is one more.
func (t *text) insert(before int, more ...string) {
	if before == len(t.lines)+1 && before > 1 && !strings.HasSuffix(t.lines[before-2], "\n") {
		t.lines[before-2] += "\n"
	}
	tail := append([]string{}, t.lines[before-1:]...)
	t.lines = append(t.lines[:before-1], more...)
	t.lines = append(t.lines, tail...)
}

// line is the text of one, from 1, without its end.
func (t text) line(n int) string {
	if n < 1 || n > len(t.lines) {
		return ""
	}
	return strings.TrimRight(t.lines[n-1], "\r\n")
}

// rest is what stands in a line from a column on.
func (t text) rest(line, column int) string {
	runes := []rune(t.line(line))
	if column-1 > len(runes) {
		return ""
	}
	return string(runes[column-1:])
}

// set writes a value, as YAML has it, to a field that is there, or makes the field.
func (t *text) set(d manifest.Doc, path, value string) error {
	node, base, left := d.Reach(path)
	if len(left) == 0 {
		return t.overwrite(d, node, base, path, value)
	}
	switch {
	case node.Kind == yaml.MappingNode && node.Style&yaml.FlowStyle != 0:
		return t.intoBraces(node, base, left, value)
	case node.Kind == yaml.MappingNode && len(node.Content) > 0:
		return t.intoBlock(node, base, left, value)
	case node.Tag == "!!null" && node.Anchor == "":
		parent, last := parentOf(path, len(left))
		return t.belowKey(d, parent, last, left, value)
	}
	return errByHand
}

// overwrite puts a value in the place of one.
func (t *text) overwrite(d manifest.Doc, node *yaml.Node, base int, path, value string) error {
	line := base + node.Line
	if node.Kind != yaml.ScalarNode || node.Anchor != "" {
		return errByHand
	}
	if node.Tag == "!!null" && node.Value == "" {
		parent, last := parentOf(path, 0)
		key := keyIn(d, parent, last)
		if key == nil {
			return errByHand
		}
		return t.replace(base+key.Line, key.Column+len([]rune(key.Value))+1, 0, " "+t.word(value))
	}
	n, ok := t.width(node, line)
	if !ok {
		return errByHand
	}
	return t.replace(line, node.Column, n, t.word(value))
}

// width is how many characters a scalar takes in its line; not ok where it takes several
// lines.
func (t text) width(node *yaml.Node, line int) (n int, ok bool) {
	rest := t.rest(line, node.Column)
	switch {
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0, false
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		quote := rest[:1]
		end := strings.Index(rest[1:], quote)
		if end < 0 || strings.ContainsAny(node.Value, `"'\`) {
			return 0, false
		}
		return len([]rune(rest[:end+2])), true
	default:
		return len([]rune(node.Value)), strings.HasPrefix(rest, node.Value)
	}
}

// word is a value as the file writes it. In JSON texts stand in quotes.
func (t text) word(value string) string {
	if !t.json {
		return value
	}
	var node yaml.Node
	if yaml.Unmarshal([]byte(value), &node) != nil || len(node.Content) == 0 {
		return value
	}
	return quoted(node.Content[0])
}

func quoted(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.SequenceNode:
		var items []string
		for _, c := range node.Content {
			items = append(items, quoted(c))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case node.Tag == "!!str":
		return fmt.Sprintf("%q", node.Value)
	default:
		return node.Value
	}
}
