package secretshape_test

import (
	"regexp/syntax"
	"strings"
	"testing"
)

// shortest lists, for each way through the alternatives of a pattern, a shortest text
// that goes it.
func shortest(t *testing.T, pattern string) []string {
	t.Helper()
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return ways(re)
}

func ways(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		return oneOf(re.Rune)
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range re.Sub {
			out = joined(out, ways(sub))
		}
		return out
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			out = append(out, ways(sub)...)
		}
		return out
	case syntax.OpCapture:
		return ways(re.Sub[0])
	case syntax.OpPlus:
		return ways(re.Sub[0])
	case syntax.OpRepeat:
		return []string{strings.Repeat(ways(re.Sub[0])[0], re.Min)}
	default: // a star, a question mark, a border
		return []string{""}
	}
}

// oneOf gives every member of a small class, and one of a large one.
func oneOf(ranges []rune) []string {
	var out []string
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(out) == 8 {
				return []string{pick(ranges)}
			}
			out = append(out, string(r))
		}
	}
	return out
}

// pick prefers a letter, so that a border of words is where the pattern wants it.
func pick(ranges []rune) string {
	for _, want := range "AaZ0" {
		for i := 0; i < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return string(want)
			}
		}
	}
	return string(ranges[0])
}

func joined(heads, tails []string) []string {
	var out []string
	for _, h := range heads {
		for _, t := range tails {
			out = append(out, h+t)
		}
	}
	return out
}
