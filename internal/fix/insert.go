package fix

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"demarc.dev/demarc/internal/manifest"
)

// key is a step of a path as a key of the file.
func (t text) key(step string) string {
	step = strings.TrimSuffix(strings.TrimPrefix(step, "["), "]")
	if t.json {
		return `"` + step + `"`
	}
	return step
}

// intoBraces puts a field first into a mapping in braces.
func (t *text) intoBraces(node *yaml.Node, base int, left []string, value string) error {
	field := t.key(left[len(left)-1]) + ": " + t.word(value)
	for i := len(left) - 2; i >= 0; i-- {
		field = t.key(left[i]) + ": {" + field + "}"
	}
	line := base + node.Line
	if !strings.HasPrefix(t.rest(line, node.Column), "{") {
		return errByHand
	}
	if len(node.Content) > 0 {
		field += ", "
	}
	return t.replace(line, node.Column+1, 0, field)
}

// block is a field with those above it that are missing, a line for each.
func (t text) block(indent int, left []string, value string) (list []string) {
	for i, step := range left {
		end := ":\n"
		if i == len(left)-1 {
			end = ": " + value + "\n"
		}
		list = append(list, strings.Repeat(" ", indent+2*i)+t.key(step)+end)
	}
	return list
}

// intoBlock puts a field into a mapping that has a line for each key.
func (t *text) intoBlock(node *yaml.Node, base int, left []string, value string) error {
	before, ok := t.place(node, base)
	if !ok {
		return errByHand
	}
	t.insert(before, t.block(node.Content[0].Column-1, left, value)...)
	return nil
}

// place is the line before which a field is put into a mapping: behind what names a
// container, before what comes in several lines.
func (t text) place(node *yaml.Node, base int) (before int, ok bool) {
	for _, name := range []string{"image", "name"} {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if value := node.Content[i+1]; node.Content[i].Value == name && t.oneLine(node.Content[i], value, base) {
				return base + value.Line + 1, true
			}
		}
	}
	first, value := node.Content[0], node.Content[1]
	alone := strings.TrimSpace(string([]rune(t.line(base + first.Line))[:first.Column-1])) == ""
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i+1].Kind != yaml.ScalarNode && (i > 0 || alone) {
			return t.above(base+node.Content[i].Line, node.Content[i].Column), true
		}
	}
	return base + value.Line + 1, t.oneLine(first, value, base)
}

// oneLine reports whether a key and its value are alone in one line.
func (t text) oneLine(key, value *yaml.Node, base int) bool {
	if value.Kind != yaml.ScalarNode || value.Line != key.Line || value.Anchor != "" {
		return false
	}
	n, ok := t.width(value, base+value.Line)
	if !ok {
		return false
	}
	rest := strings.TrimSpace(t.rest(base+value.Line, value.Column+n))
	return rest == "" || strings.HasPrefix(rest, "#")
}

// above is a line, or the first of the comments that stand before it.
func (t text) above(line, column int) int {
	comment := strings.Repeat(" ", column-1) + "#"
	for line > 1 && strings.HasPrefix(t.line(line-1), comment) {
		line--
	}
	return line
}

// belowKey puts fields below a key that has no value yet.
func (t *text) belowKey(d manifest.Doc, parent, last string, left []string, value string) error {
	key := keyIn(d, parent, last)
	_, base, _ := d.Reach(parent)
	if key == nil || t.json {
		return errByHand
	}
	line := base + key.Line
	rest := strings.TrimSpace(t.rest(line, key.Column+len([]rune(key.Value))+1))
	if rest != "" && !strings.HasPrefix(rest, "#") { // null, ~
		return errByHand
	}
	t.insert(line+1, t.block(key.Column+1, left, value)...)
	return nil
}

// parentOf is a path without its last steps, n of them and one more, and that one.
func parentOf(path string, n int) (parent, last string) {
	steps := manifest.Steps(path)
	at := len(steps) - n - 1
	if at < 0 {
		return "", ""
	}
	for _, step := range steps[:at] {
		if parent != "" && !strings.HasPrefix(step, "[") {
			parent += "."
		}
		parent += step
	}
	return parent, steps[at]
}

// keyIn is the node of a key.
func keyIn(d manifest.Doc, parent, name string) *yaml.Node {
	node, _, left := d.Reach(parent)
	if len(left) > 0 || node.Kind != yaml.MappingNode {
		return nil
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i]
		}
	}
	return nil
}

// add puts a word first into a list, or makes the list.
func (t *text) add(d manifest.Doc, path, word string) error {
	node, base, left := d.Reach(path)
	if len(left) > 0 || node.Tag == "!!null" {
		return t.set(d, path, "["+word+"]")
	}
	switch {
	case node.Kind != yaml.SequenceNode || node.Anchor != "":
		return errByHand
	case node.Style&yaml.FlowStyle != 0:
		word := t.word(word)
		if len(node.Content) > 0 {
			word += ", "
		}
		return t.replace(base+node.Line, node.Column+1, 0, word)
	}
	line := base + node.Content[0].Line
	dash := strings.Index(t.line(line), "-")
	if dash < 0 || strings.TrimSpace(t.line(line)[:dash]) != "" {
		return errByHand
	}
	t.insert(line, t.line(line)[:dash]+"- "+word+"\n")
	return nil
}

// rename gives a field another name and another value.
func (t *text) rename(d manifest.Doc, path, name, value string) error {
	if err := t.set(d, path, value); err != nil {
		return err
	}
	parent, last := parentOf(path, 0)
	key := keyIn(d, parent, last)
	_, base, _ := d.Reach(parent)
	if key == nil {
		return errByHand
	}
	if t.json {
		return t.replace(base+key.Line, key.Column, len([]rune(key.Value))+2, `"`+name+`"`)
	}
	return t.replace(base+key.Line, key.Column, len([]rune(key.Value)), name)
}
