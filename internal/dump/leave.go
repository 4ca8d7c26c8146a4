package dump

import (
	"strings"

	"demarc.dev/demarc/internal/secretshape"
)

func (c cleaner) items(in []any, at spot) {
	words := at.key == "command" || at.key == "args"
	for i, value := range in {
		switch v := value.(type) {
		case string:
			switch {
			case words:
				in[i] = c.word(before(in, i), v)
			case at.under != "":
				in[i] = c.variable("item", v, at.under)
			default:
				in[i] = c.lines(v)
			}
		case map[string]any:
			c.fields(v, at)
		case []any:
			c.items(v, at)
		}
	}
}

func before(in []any, i int) string {
	if i == 0 {
		return ""
	}
	text, _ := in[i-1].(string)
	return text
}

// word is one of a command, behind another. What programs take for a password differs: where
// -p and -u may be one it is left out.
func (c cleaner) word(flag, word string) string {
	rule, begins := "", ""
	switch {
	case strings.HasPrefix(word, "-p") && len(word) > 5:
		begins, rule = "-p", secretshape.ShortPassword(word[2:])
	case strings.HasPrefix(word, "-u") && len(word) > 5:
		begins, rule = "-u", secretshape.UserPassword(word[2:])
	case strings.HasPrefix(word, "-") || !strings.HasPrefix(flag, "-") || strings.ContainsAny(flag, "= "):
	case flag == "-p":
		rule = secretshape.ShortPassword(word)
	case flag == "-u", flag == "-U", flag == "--user", flag == "--proxy-user":
		rule = secretshape.UserPassword(word)
	default:
		rule = secretshape.Field(strings.TrimLeft(flag, "-"), word, "")
	}
	if rule != "" {
		return begins + c.leave(rule)
	}
	return c.lines(word)
}

func (c cleaner) text(text string) string {
	if ids := secretshape.Broken(text); len(ids) > 0 {
		return c.leave(ids[0])
	}
	return text
}

// variable is a value of a name, below another name where that is a secret's.
func (c cleaner) variable(name, value, under string) string {
	if rule := secretshape.Field(name, value, under); rule != "" {
		return c.leave(rule)
	}
	return c.lines(value)
}

func (c cleaner) lines(text string) string {
	shown := secretshape.Lines(text)
	if shown != text {
		c.left["lines"]++
	}
	return shown
}

func (c cleaner) leave(rule string) string {
	c.left[rule]++
	return secretshape.LeftOut(rule)
}

func (c cleaner) count() (n int) {
	for _, one := range c.left {
		n += one
	}
	return n
}
