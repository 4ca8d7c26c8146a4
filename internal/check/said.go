package check

import (
	"fmt"
	"strings"

	"demarc.dev/demarc/internal/finding"
)

// told is how many places a message of a rule names.
const told = 5

// Said is what is to be said of a finding at one of its places, when each is told by
// itself: the field, what is there, and what is allowed. How to ask for an exception is
// left out: Exception says it.
func Said(f finding.Finding, place int) string {
	head := f.ID + ": "
	before, message, ok := strings.Cut(f.Message, head)
	if !ok {
		return f.Message
	}
	var parts []string
	for _, p := range f.Places[:min(len(f.Places), told)] {
		parts = append(parts, p.Field+" is "+shortened(p.Value))
	}
	list := strings.Join(parts, ", ")
	if more := len(f.Places) - told; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	allowed, ok := strings.CutPrefix(message, list)
	if !ok || !strings.HasPrefix(allowed, "; ") {
		return f.Message
	}
	allowed, _, _ = strings.Cut(allowed, ask)
	p := f.Places[place]
	return before + p.Field + " is " + shortened(p.Value) + strings.TrimSuffix(allowed, ".")
}

// shortened is a value as messages have it.
func shortened(value string) string {
	if runes := []rune(value); len(runes) > 120 {
		value = string(runes[:120]) + "…"
	}
	return strings.ReplaceAll(value, "\n", " ")
}

// ask begins the end of a message.
const ask = " To ask for an exception: "

// Exception is how to ask for an exception, as a message says it; empty where it does not.
func Exception(f finding.Finding) string {
	_, command, _ := strings.Cut(f.Message, ask)
	return command
}
