package secretshape

import (
	"regexp"
	"strings"
)

// LeftOut stands in the place of what looks like a secret by this rule.
func LeftOut(rule string) string { return "(left out: " + rule + ")" }

// marks are what LeftOut has written: a text that was gone through once stays as it is.
var marks = regexp.MustCompile(`\(left out: [\w-]+\)`)

// Text is a text as it may be shown: one that looks like a secret is left out as a whole,
// since no rule says where in it the secret ends.
func Text(text string) string {
	if rule := shape(text); rule != "" {
		return LeftOut(rule)
	}
	return text
}

// shape is the rule that a text breaks by itself, beside what was left out of it.
func shape(text string) string {
	if ids := Broken(text); len(ids) == 0 {
		return ""
	}
	if ids := Broken(marks.ReplaceAllString(text, "<left out>")); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// Variable is the rule that a variable's name and literal value break; empty where none.
func Variable(name, value string) (rule string) {
	if r := named(name, value); r != "" {
		return r
	}
	return shape(value)
}

// headers are names that a claim may have for a variable, and that hold a secret where they are
// told: of a header, or short for a password.
var headers = regexp.MustCompile(`(?i)^(proxy_)?authorization$|^(set_)?cookie$|(^|_)pw$`)

// named is the rule by which a name says that its value is secret.
func named(name, value string) string {
	name = strings.NewReplacer("-", "_", ".", "_").Replace(name)
	for _, r := range Rules {
		if n := r.Names; n != nil && (n.match(name, value) || headers.MatchString(name) && n.match("PASSWORD", value)) {
			return r.ID
		}
	}
	return ""
}

// humps are where a word begins in a name such as dbPassword.
var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// Field is the same of a field of an object; under is the name of a secret that it stands below,
// empty where there is none. What stands below such a name is secret whatever it is called
// itself, but for what says where the secret is, and of what kind.
func Field(name, value, under string) (rule string) {
	if under != "" {
		name = under + "_" + name
	}
	if r := named(humps.ReplaceAllString(name, "${1}_${2}"), value); r != "" {
		return r
	}
	return shape(value)
}

const keyRule = "private-key"

var keyEnds = regexp.MustCompile(`-----END [A-Z0-9 ]*PRIVATE KEY`)

// Lines is a text in which names stand with values, line by line: what looks like a secret is
// left out, of a private key all its lines, also where it began before them.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	out, inKey := lines[:0:0], false
	for _, line := range lines {
		ends, rule := keyEnds.MatchString(line), shape(line)
		switch {
		case ends && !inKey && rule != keyRule:
			out = append(out[:0], LeftOut(keyRule))
		case inKey:
			inKey = !ends
		case rule != "":
			out = append(out, LeftOut(rule))
			inKey = rule == keyRule && !ends
		default:
			out = append(out, spotless(line))
		}
	}
	return strings.Join(out, "\n")
}

// Sentence is what was said of something, and behind the first colon in whose words: where these
// look like a secret, what stands before them is shown all the same.
func Sentence(text string) string {
	head, words, ok := strings.Cut(text, ": ")
	if rule := shape(text); ok && rule != "" && words != "" && shape(head) == "" && !keyEnds.MatchString(text) {
		return spotless(head) + ": " + LeftOut(rule)
	}
	return Lines(text)
}
