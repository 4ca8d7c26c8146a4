package who

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Field is a path into an object, as it was written and cut into steps. The zero value
// is no field.
type Field struct {
	text  string
	steps []step
}

// step is a name, or a choice among the elements of a list: by number, by the value of a
// key, or any.
type step struct {
	name string
	// bracket steps choose; a name in quotes in them is the key of a map.
	bracket, quoted, any bool
	number               int
	key, value           string
}

const (
	longestField = 1024
	deepestField = 64
)

// ParseField reads spec.replicas, spec.template.spec.containers[0].image,
// containers[name=web], metadata.labels["example.com/a"].
func ParseField(text string) (Field, error) {
	f, err := parseField(strings.TrimPrefix(text, "."))
	if err != nil {
		return Field{}, fmt.Errorf("%q is no field: %w", text, err)
	}
	f.text = text
	return f, nil
}

func parseField(rest string) (f Field, err error) {
	if rest == "" || len(rest) > longestField {
		return f, fmt.Errorf("write 1 to %d characters, such as spec.replicas", longestField)
	}
	for rest != "" {
		var s step
		if rest[0] == '[' {
			s, rest, err = bracketStep(rest)
		} else {
			s, rest, err = nameStep(rest)
		}
		if err != nil {
			return f, err
		}
		if f.steps = append(f.steps, s); len(f.steps) > deepestField {
			return f, fmt.Errorf("it has more than %d steps", deepestField)
		}
		if strings.HasPrefix(rest, ".") {
			if rest = rest[1:]; rest == "" || rest[0] == '[' {
				return f, errors.New("a name is missing after a dot")
			}
		} else if rest != "" && rest[0] != '[' {
			return f, errors.New("after ] comes a dot or another [")
		}
	}
	return f, nil
}

// nameStep reads up to the next dot or bracket; a backslash keeps a dot in the name, as
// in kubectl's JSONPath.
func nameStep(text string) (s step, rest string, err error) {
	var name strings.Builder
	i := 0
	for ; i < len(text) && text[i] != '.' && text[i] != '['; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		name.WriteByte(text[i])
	}
	if s.name = name.String(); s.name == "" {
		return s, "", errors.New("a name is missing before a dot")
	}
	return s, text[i:], plainWords(s.name)
}

func bracketStep(text string) (s step, rest string, err error) {
	inside, rest, err := inBrackets(text[1:])
	if err != nil {
		return s, "", err
	}
	s = step{bracket: true, number: -1}
	switch key, value, choice := strings.Cut(inside, "="); {
	case inside == "":
		return s, "", errors.New("[] is empty: write [0], [name=web] or [*]")
	case inside == "*":
		s.any = true
	case inside[0] == '"' || inside[0] == '\'':
		s.name, s.quoted = inside[1:len(inside)-1], true
	case choice:
		s.key, s.value = key, strings.Trim(value, `"'`)
	default:
		if n, err := strconv.Atoi(inside); err == nil && n >= 0 {
			s.number = n
		} else {
			s.name = inside
		}
	}
	return s, rest, plainWords(s.name + s.key + s.value)
}

// inBrackets cuts at the bracket that closes; what is in quotes may hold one.
func inBrackets(text string) (inside, rest string, err error) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		end := strings.Index(text[1:], text[:1]+"]")
		if end < 1 {
			return "", "", errors.New("quotes in [ ] are not closed, or hold nothing")
		}
		return text[:end+2], text[end+3:], nil
	}
	inside, rest, closed := strings.Cut(text, "]")
	if !closed {
		return "", "", errors.New("a [ is not closed")
	}
	return inside, rest, nil
}

func plainWords(text string) error {
	for _, r := range text {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return errors.New("it holds a character that no field has")
		}
	}
	return nil
}

// String is the field as it was written.
func (f Field) String() string { return f.text }

// Contract is the field as a contract names it: without a choice among elements.
func (f Field) Contract() string { return strings.Join(f.names(), ".") }

// names are the steps that are not a choice among elements.
func (f Field) names() (names []string) {
	for _, s := range f.steps {
		if !s.bracket || s.quoted {
			names = append(names, s.name)
		}
	}
	return names
}
