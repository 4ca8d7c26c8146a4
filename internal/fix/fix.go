// Package fix writes into the text of a file what a rule asks for, where that is mechanical:
// no more than that changes, comments and order stay. What was written is read again, and
// if anything else changed nothing is.
package fix

import (
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/manifest"
)

// Done is one place that was mended, or could not be.
type Done struct {
	Rule   string
	Object finding.Object
	// Place in the file as it was.
	Place finding.Place
	// Says what was done, or why it was not.
	Says string
}

// Judge says what breaks the rules in the text of a file.
type Judge func(text string) ([]finding.Finding, error)

// Text mends a file: every place that a rule with a mechanical mending names. The text is
// given back with what was done, and with what was left for people.
func Text(file, before string, judge Judge) (after string, done, left []Done, err error) {
	after = before
	failed := map[string]bool{}
	for {
		found, err := judge(after)
		if err != nil {
			return before, nil, nil, err
		}
		d, changed, ok := next(file, after, found, failed)
		if !ok {
			return after, done, left, nil
		}
		if changed == "" {
			failed[keyOf(d)] = true
			left = append(left, d)
			continue
		}
		done, after = append(done, d), changed
	}
}

// next mends the first place that can be, or says why it cannot. There is none where not ok.
func next(file, text string, found []finding.Finding, failed map[string]bool) (d Done, changed string, ok bool) {
	for _, f := range found {
		m, known := mendings[f.ID]
		if !known {
			continue
		}
		for _, p := range f.Places {
			d := Done{Rule: f.ID, Object: f.Object, Place: p}
			if failed[keyOf(d)] {
				continue
			}
			changed, says, err := mend(file, text, f, p, m)
			if err != nil {
				d.Says = err.Error()
				return d, "", true
			}
			d.Says = says
			return d, changed, true
		}
	}
	return Done{}, "", false
}

func keyOf(d Done) string { return d.Rule + " " + d.Object.String() + " " + d.Place.Field }

// mend mends one place.
func mend(file, before string, f finding.Finding, p finding.Place, m mending) (after, says string, err error) {
	plain, restore, err := endings(before)
	if err != nil {
		return "", "", err
	}
	docs, err := manifest.Parse(file, plain)
	if err != nil {
		return "", "", err
	}
	at := slices.IndexFunc(docs, func(d manifest.Doc) bool {
		return d.Kind == f.Object.Kind && d.Name == f.Object.Name && d.Group() == f.Object.Group && d.LineOf(p.Field) == p.Line
	})
	if at < 0 {
		return "", "", errByHand
	}
	t := &text{lines: lines(plain), json: strings.HasPrefix(strings.TrimSpace(plain), "{")}
	c, says, err := m(t, docs[at], p, f.Object)
	if err != nil {
		return "", "", err
	}
	if err := only(file, plain, t.String(), at, c); err != nil {
		return "", "", fmt.Errorf("%w: %w", errByHand, err)
	}
	return restore(t.String()), says, nil
}

// endings takes what the reader of manifests takes off a text, and how to put it on again.
func endings(text string) (plain string, restore func(string) string, err error) {
	const mark = "\ufeff"
	plain, marked := strings.CutPrefix(text, mark)
	windows := strings.Count(plain, "\r\n")
	if windows > 0 && windows != strings.Count(plain, "\n") {
		return "", nil, fmt.Errorf("%w: its lines end in two ways", errByHand)
	}
	plain = strings.ReplaceAll(plain, "\r\n", "\n")
	return plain, func(s string) string {
		if windows > 0 {
			s = strings.ReplaceAll(s, "\n", "\r\n")
		}
		if marked {
			s = mark + s
		}
		return s
	}, nil
}
