package manifest_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/internal/manifest"
)

// Whatever is no YAML, or no JSON, is said with the line where that is seen: that of the
// file, not of the document, and counted from 1 whatever the library counts from.
func TestSyntaxLines(t *testing.T) {
	const head = "kind: A\napiVersion: v1\nmetadata: {name: a}\nspec:\n"
	cases := map[string]struct {
		text string
		line int
		says string
	}{
		"a list that is not closed":    {head + "  a: [1,\n", 5, "did not find expected node content"},
		"two colons":                   {head + "  a: b: c\n  d: e\n", 5, "mapping values are not allowed"},
		"a quote that is not closed":   {head + "  a: \"x\n  b: y\n", 5, "unexpected end of stream"},
		"a tab":                        {head + "  a: x\n\tb: y\n", 6, "a tab character"},
		"indented too little":          {head + "  a: x\n b: y\n", 6, "did not find expected key"},
		"indented too much":            {head + "  a: x\n   b: y\n", 6, "mapping values are not allowed"},
		"a key without a colon":        {head + "  a: x\n  b\n  c: y\n", 6, "could not find expected ':'"},
		"a brace that is not closed":   {head + "  a: {x: 1\n  b: y\n", 5, "did not find expected ',' or '}'"},
		"an anchor that is not there":  {head + "  a: x\n  b: *nope\n", 6, "unknown anchor 'nope'"},
		"a character of no word":       {head + "  a: x\n  b: @c\n", 6, "cannot start any token"},
		"a control character":          {head + "  a: x\n  b: \x01\n", 6, "control characters"},
		"no UTF-8":                     {head + "  a: x\n  b: \xff\n", 6, "UTF-8"},
		"a word of no escape":          {head + "  a: \"\\q\"\n", 5, "unknown escape character"},
		"in the second document":       {head + "---\n# x\nkind: B\na: b: c\n", 8, "mapping values are not allowed"},
		"not closed in the second":     {head + "---\nkind: [1,\n", 6, "did not find expected node content"},
		"in the first line":            {"a: b: c\nd: e\n", 1, "mapping values are not allowed"},
		"another document without ---": {head + "  a: x\n...\nkind: B\n", 7, "put --- before another one"},
		"JSON":                         {"{\"kind\": \"A\",\n\"apiVersion\": [1,\n \"c\" }\n", 3, "invalid character '}' after array element"},
		"JSON that ends too early":     {"{\"kind\": \"A\",\n\"apiVersion\": [1,\n \"c\" ]\n\n", 3, "unexpected end of JSON input"},
		"braces of YAML":               {"{kind: A,\napiVersion: [1,\n \"c\" }\n", 2, "did not find expected ',' or ']'"},
	}
	for name, c := range cases {
		_, err := manifest.Parse("f", c.text)
		found := manifest.Faults(err)
		if len(found) != 1 || found[0].Line != c.line || !strings.Contains(found[0].Text, c.says) {
			t.Errorf("%s: it says %v, want line %d: … %s", name, err, c.line, c.says)
		}
	}
}
