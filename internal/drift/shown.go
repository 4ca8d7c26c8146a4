package drift

import (
	"encoding/json"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/secretshape"
)

// display is a value as people are shown it.
type display struct {
	text   string
	hidden bool
}

var hidden = display{hidden: true}

// longest is how many characters of a value are shown in a sentence, and how many there are
// in an answer.
const (
	inSentence = 80
	inAnswer   = 2000
)

// String is the value in a sentence.
func (v display) String() string {
	switch {
	case v.hidden:
		return "a value that is not shown"
	case v.text == "":
		return "nothing"
	default:
		return clipped(v.text, inSentence)
	}
}

func clipped(text string, to int) string {
	if runes := []rune(text); len(runes) > to {
		return string(runes[:to]) + "…"
	}
	return text
}

// shown is a value as text: a word as it is, anything else as JSON. What looks like a secret
// by the name of its field, or by itself, is not shown.
func shown(p fieldpath.Path, v any) display {
	if v == nil {
		return display{}
	}
	if secretive(name(p), v) {
		return hidden
	}
	if word, ok := v.(string); ok {
		return display{text: clipped(word, inAnswer)}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return display{text: "what is no JSON"}
	}
	return display{text: clipped(string(raw), inAnswer)}
}

// name is what a value is called: the key of its element in a list, or its field.
func name(p fieldpath.Path) string {
	for _, e := range slices.Backward(p) {
		switch {
		case e.Key != nil && len(*e.Key) == 1:
			return scalar((*e.Key)[0].Value)
		case e.FieldName != nil && *e.FieldName != "value":
			return *e.FieldName
		}
	}
	return ""
}

func secretive(name string, v any) bool {
	switch n := v.(type) {
	case string:
		return leftOut(n) || secretshape.Variable(name, n) != ""
	case []any:
		return slices.ContainsFunc(n, func(item any) bool { return secretive(name, item) })
	case map[string]any:
		if own, ok := n["name"].(string); ok {
			if value, ok := n["value"]; ok && secretive(own, value) {
				return true
			}
		}
		for key, value := range n {
			if secretive(key, value) {
				return true
			}
		}
	}
	return false
}

// leftOut says that a dump was written without a value, or some of it.
func leftOut(v any) bool {
	begins, _, _ := strings.Cut(secretshape.LeftOut("."), ".")
	word, _ := v.(string)
	return strings.Contains(word, begins)
}

// secret says that a field is what a Secret holds.
func (w *world) secret(d *declaration, p fieldpath.Path) bool {
	return keyOf(d.live).GroupKind == secretKind && len(p) > 0 && p[0].FieldName != nil && *p[0].FieldName == "data"
}
