package snapshot

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// largest is how much text one object, or what stands around the items of a list, may have.
// An API server takes no more than 3 MiB.
const largest = 16 << 20

// Stream reads the objects of a text of any length one after another, YAML or JSON, documents
// divided by "---" or written one after another, with lists taken apart. What is held at a
// time is one object.
//
//	source ─ documents ─▶ JSON ─ items ─▶ objects
//	                   └▶ YAML ─ items ─▶ objects
type Stream struct {
	// Take gets each object, and the line that it begins in.
	Take func(o Object, line int)
	// Fault gets what could not be read; what follows it is read all the same, where that can
	// be told apart.
	Fault func(line int, what string)
	// Foreign gets the line of each document that is no object of Kubernetes; nil passes over it.
	Foreign func(line int)
}

// Read reads all of a text. The error is that of the reader.
func (s Stream) Read(in io.Reader) error {
	from := newSource(in)
	for {
		err := s.document(from)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// document reads one document; io.EOF is that there is none.
func (s Stream) document(from *source) error {
	if err := from.nextDocument(); err != nil {
		return err
	}
	head, err := from.sniff()
	if errors.Is(err, io.EOF) {
		return nil // comments alone
	}
	if err != nil {
		return err
	}
	if looksJSON(head) {
		err = s.json(from, head)
	} else {
		err = s.yaml(from, head)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// looksJSON tells a JSON object from YAML in braces, whose keys have no quotes.
func looksJSON(head []byte) bool {
	rest, brace := strings.CutPrefix(strings.TrimLeft(string(head[:min(len(head), 512)]), " \t\r\n"), "{")
	rest = strings.TrimLeft(rest, " \t\r\n")
	return brace && (rest == "" || rest[0] == '"' || rest[0] == '}')
}

// held are items of a list whose kind is written behind them.
type held struct {
	content map[string]any
	line    int
}

// list is what is known of a list while it is read.
type list struct {
	Stream
	apiVersion, kind string
	waiting          []held
}

// item takes an item: what lists of one kind leave out of their items is the list's.
func (l *list) item(content map[string]any, line int) {
	if content["kind"] == nil && content["apiVersion"] == nil {
		if l.kind == "" || l.apiVersion == "" {
			l.waiting = append(l.waiting, held{content, line})
			return
		}
		content["apiVersion"], content["kind"] = l.apiVersion, strings.TrimSuffix(l.kind, "List")
	}
	l.object(content, line)
}

// end gives out what waited for the kind.
func (l *list) end(line int) {
	if l.kind == "" || l.apiVersion == "" {
		if len(l.waiting) > 0 {
			l.Fault(line, fmt.Sprintf("%d objects of a list whose kind is not told", len(l.waiting)))
		}
		return
	}
	for _, h := range l.waiting {
		l.item(h.content, h.line)
	}
	l.waiting = nil
}

// object gives out one object, or the items of one that is a list.
func (s Stream) object(content map[string]any, line int) {
	o := &unstructured.Unstructured{Object: content}
	apiVersion, isText := content["apiVersion"].(string)
	kind, isToo := content["kind"].(string)
	value, isList := content["items"]
	items, isItems := value.([]any)
	switch {
	case content["apiVersion"] == nil && content["kind"] == nil:
		s.foreign(line)
	case !isText || apiVersion == "":
		s.Fault(line, "it has no apiVersion")
	case !isToo || kind == "":
		s.Fault(line, "it has no kind")
	case isList && (isItems || value == nil) && strings.HasSuffix(kind, "List"):
		inner := list{Stream: s, apiVersion: apiVersion, kind: kind}
		for i, one := range items {
			item, isObject := one.(map[string]any)
			if !isObject {
				s.Fault(line, fmt.Sprintf("items[%d] is no object", i))
				continue
			}
			inner.item(item, line)
		}
	default:
		if what := misshapen(content); what != "" {
			s.Fault(line, kind+": "+what)
			return
		}
		s.Take(o, line)
	}
}

func (s Stream) foreign(line int) {
	if s.Foreign != nil {
		s.Foreign(line)
	}
}

// misshapen says what of an object's head is of another type than every object has.
func misshapen(content map[string]any) string {
	value, has := content["metadata"]
	metadata, isMap := value.(map[string]any)
	switch {
	case has && value != nil && !isMap:
		return "its metadata is no set of fields"
	case value == nil:
		delete(content, "metadata")
	}
	for _, field := range []string{"name", "namespace"} {
		if _, isText := metadata[field].(string); metadata[field] != nil && !isText {
			return "metadata." + field + " is no text"
		}
	}
	return ""
}
