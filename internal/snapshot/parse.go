package snapshot

import (
	"bytes"
	"fmt"
)

// Parse reads the objects of a text, YAML or JSON, several of them divided by "---". The
// error is the first thing in it that is no object.
func Parse(text []byte) (out []Object, err error) {
	fault := func(line int, what string) {
		if err == nil {
			err = fmt.Errorf("line %d: %s", line, what)
		}
	}
	stream := Stream{
		Take:    func(o Object, _ int) { out = append(out, o) },
		Fault:   fault,
		Foreign: func(line int) { fault(line, "it has no apiVersion and kind") },
	}
	if failed := stream.Read(bytes.NewReader(text)); failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
