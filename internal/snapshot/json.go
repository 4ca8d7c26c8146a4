package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	kubejson "sigs.k8s.io/json"
)

// text is a document as a reader, with the lines of what was read.
type text struct {
	*source
	left []byte
	// handed is how much was given out, and starts are the lines that began in it.
	handed int64
	starts []lineStart
	// allowance is what may be read until something was made of it.
	allowance int
}

type lineStart struct {
	offset int64
	line   int
}

var errLarge = fmt.Errorf("it is larger than %d MiB", largest>>20)

func (t *text) Read(p []byte) (int, error) {
	if t.allowance <= 0 {
		return 0, errLarge
	}
	if len(t.left) == 0 {
		part, begins, err := t.next()
		if err != nil {
			return 0, err
		}
		if t.left = part; begins {
			t.starts = append(t.starts, lineStart{t.handed, t.line})
		}
	}
	n := copy(p, t.left)
	t.left, t.handed, t.allowance = t.left[n:], t.handed+int64(n), t.allowance-n
	return n, nil
}

// lineOf a place. It is asked for places in order, so that the lines before it are let go.
func (t *text) lineOf(offset int64) int {
	passed := 0
	for passed+1 < len(t.starts) && t.starts[passed+1].offset <= offset {
		passed++
	}
	t.starts = t.starts[passed:]
	return t.starts[0].line
}

// json reads JSON objects that stand one after another.
func (s Stream) json(from *source, head []byte) error {
	t := &text{source: from, left: head, starts: []lineStart{{0, from.line}}, allowance: largest}
	decoder := json.NewDecoder(t)
	for {
		t.allowance = largest
		err := s.jsonObject(t, decoder)
		if errors.Is(err, io.EOF) {
			return err
		}
		if err == nil {
			continue
		}
		if t.err != nil && !errors.Is(t.err, io.EOF) {
			return t.err // it is the reader that fails
		}
		s.Fault(t.lineOf(decoder.InputOffset()), "this is no JSON, and what follows is passed over: "+plainly(err))
		return nil
	}
}

func plainly(err error) string {
	switch {
	case errors.Is(err, errLarge):
		return "an object " + strings.TrimPrefix(errLarge.Error(), "it ")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends before its end"
	}
	return err.Error()
}

// cut is io.EOF in the middle of an object.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// jsonObject reads one object, and gives out the items of a list while it does. io.EOF is
// that there is none.
func (s Stream) jsonObject(t *text, decoder *json.Decoder) error {
	begin, err := decoder.Token()
	if err != nil {
		return err
	}
	line := t.lineOf(decoder.InputOffset() - 1)
	if begin != json.Delim('{') {
		return errors.New("an object begins with a brace")
	}
	content, l := map[string]any{}, list{Stream: s}
	listed := false
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return cut(err)
		}
		if key == "items" && !listed {
			listed, err = l.jsonItems(t, decoder, content)
		} else {
			content[key.(string)], err = jsonValue(decoder)
		}
		if err != nil {
			l.known(content)
			l.end(line)
			return cut(err)
		}
		l.known(content)
	}
	if _, err := decoder.Token(); err != nil {
		return cut(err)
	}
	if !listed {
		s.object(content, line)
		return nil
	}
	l.end(line)
	return nil
}

// known takes over what was read of the list's own head.
func (l *list) known(content map[string]any) {
	l.apiVersion, _ = content["apiVersion"].(string)
	l.kind, _ = content["kind"].(string)
}

func jsonValue(decoder *json.Decoder) (value any, err error) {
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return nil, err
	}
	return value, kubejson.UnmarshalCaseSensitivePreserveInts(raw, &value)
}

// jsonItems reads a list one by one; what is no list is a value as any other.
func (l *list) jsonItems(t *text, decoder *json.Decoder, content map[string]any) (isList bool, err error) {
	var raw json.RawMessage
	begin, err := decoder.Token()
	switch {
	case err != nil:
		return false, err
	case begin == json.Delim('{'):
		return false, errors.New("items is no list")
	case begin != json.Delim('['):
		content["items"] = begin
		return begin == nil, nil
	}
	for decoder.More() {
		t.allowance = largest
		if err := decoder.Decode(&raw); err != nil {
			return true, err
		}
		line := t.lineOf(decoder.InputOffset() - int64(len(raw)))
		var value any
		if err := kubejson.UnmarshalCaseSensitivePreserveInts(raw, &value); err != nil {
			l.Fault(line, err.Error())
			continue
		}
		item, isObject := value.(map[string]any)
		if !isObject {
			l.Fault(line, "an item of a list is no object")
			continue
		}
		l.item(item, line)
	}
	t.allowance = largest
	_, err = decoder.Token()
	return true, err
}
