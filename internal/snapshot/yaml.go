package snapshot

import (
	"bytes"
	"errors"
	"io"
	"regexp"

	kubejson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/manifest"
)

// yaml reads one document. Of a list as kubectl prints it each item is a text of its own:
//
//	apiVersion: v1
//	items:
//	- apiVersion: v1     ← a dash at the same depth begins the next
//	  kind: Pod
//	kind: List           ← what is not as deep ends the last
func (s Stream) yaml(from *source, first []byte) error {
	y := yamlDoc{Stream: s, list: list{Stream: s}, source: from, rest: chunk{line: from.line}}
	line, err := y.whole(first)
	for err == nil {
		y.takeLine(line)
		line, err = y.nextLine()
	}
	y.finish()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// chunk is some lines of a document.
type chunk struct {
	text []byte
	line int
	// large says that there was more than is taken.
	large bool
}

func (c *chunk) add(line []byte) {
	if c.large = c.large || len(c.text)+len(line) > largest; c.large {
		c.text = c.text[:0]
		return
	}
	c.text = append(c.text, line...)
}

// yamlDoc is a document while it is read.
type yamlDoc struct {
	Stream
	*source
	list list
	// rest is all but the items, and item the one that is read just now.
	rest, item chunk
	buffer     []byte
	// depth of the dashes of the items; it is told by the first.
	depth int
	state state
	// after so many lines of the rest stood the items; the line that follows them is behind.
	after, behind int
}

type state int

const (
	outside state = iota // of a list's items
	opened               // items: was the last
	inside
	closed // there is one list of items in a document
)

// whole is a line of which this is the beginning.
func (y *yamlDoc) whole(part []byte) ([]byte, error) {
	if part[len(part)-1] == '\n' {
		return part, nil
	}
	y.buffer = append(y.buffer[:0], part...)
	for !y.begins {
		more, _, err := y.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, err
		}
		if len(y.buffer) <= largest {
			y.buffer = append(y.buffer, more...)
		}
	}
	return y.buffer, nil
}

func (y *yamlDoc) nextLine() ([]byte, error) {
	part, _, err := y.next()
	if err != nil {
		return nil, err
	}
	return y.whole(part)
}

var itemsKey = regexp.MustCompile(`^"?items"?:\s*(#.*)?$`)

func (y *yamlDoc) takeLine(line []byte) {
	content := bytes.TrimSpace(line)
	depth := len(line) - len(bytes.TrimLeft(line, " "))
	blank := len(content) == 0 || content[0] == '#'
	dash := bytes.HasPrefix(content, []byte("- ")) || string(content) == "-"
	switch y.state {
	case outside:
		if depth == 0 && itemsKey.Match(content) {
			y.state = opened
		}
	case opened:
		switch {
		case blank:
		case dash:
			y.state, y.depth = inside, depth
			y.begin(line)
			return
		default: // of another shape: read as a whole
			y.state = closed
		}
	case inside:
		switch {
		case dash && depth == y.depth:
			y.endItem()
			y.begin(line)
			return
		case blank, depth > y.depth:
			y.item.add(line)
			return
		}
		y.endItem()
		y.state = closed
		y.after, y.behind = bytes.Count(y.rest.text, []byte("\n")), y.line
	case closed:
	}
	y.rest.add(line)
}

// begin begins an item; its dash becomes a blank.
func (y *yamlDoc) begin(line []byte) {
	y.item = chunk{text: y.item.text[:0], line: y.line}
	y.item.add(line)
	if !y.item.large {
		y.item.text[y.depth] = ' '
	}
}

func (y *yamlDoc) endItem() {
	value, line, what := decode(y.item)
	item, isObject := value.(map[string]any)
	switch {
	case what != "":
		y.Fault(line, what)
	case !isObject:
		y.Fault(y.item.line, "an item of a list is no object")
	default:
		y.list.item(item, y.item.line)
	}
}

// finish reads what is left when the document has ended.
func (y *yamlDoc) finish() {
	if y.state == inside {
		y.endItem()
		y.state = closed
	}
	value, line, what := decode(y.rest)
	content, isObject := value.(map[string]any)
	isList := y.item.line > 0 // and its items were given out
	switch {
	case what != "":
		if passed := line - y.rest.line - y.after; isList && passed >= 0 && y.behind > 0 {
			line = y.behind + passed
		}
		y.Fault(line, what)
	case isList && content["apiVersion"] != nil && content["kind"] == nil:
		y.Fault(y.line, "a list without its kind, which kubectl writes last: it is cut off here")
		y.list.known(content)
	case isList:
		y.list.known(content)
	case isObject:
		y.object(content, y.rest.line)
	case value != nil:
		y.foreign(y.rest.line)
	}
	y.list.end(y.rest.line)
}

// decode reads some lines; what is wrong with them otherwise, and in which line.
func decode(c chunk) (value any, line int, what string) {
	if c.large {
		return nil, c.line, errLarge.Error()
	}
	raw, err := yaml.YAMLToJSON(c.text)
	if err == nil {
		err = kubejson.UnmarshalCaseSensitivePreserveInts(raw, &value)
	}
	if err == nil {
		return value, c.line, ""
	}
	// Whoever reads what people write knows better where that is.
	_, wrong := manifest.Parse("", string(c.text))
	for _, fault := range manifest.Faults(wrong) {
		return nil, c.line + max(fault.Line-1, 0), fault.Text
	}
	return nil, c.line, "this is no YAML: " + err.Error()
}
