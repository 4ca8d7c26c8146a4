package contract

import "strings"

// choose says what may have been meant, or else what to do.
func choose(word string, known []string, otherwise string) string {
	if like, ok := Nearest(word, known); ok {
		return "did you mean " + like + "? Otherwise " + otherwise
	}
	return otherwise
}

// Nearest is the known word of which a slip of the pen makes another; ok is false where
// none is near.
func Nearest(word string, known []string) (like string, ok bool) {
	best := len(word)/3 + 1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d <= best && (d < best || !ok) {
			like, best, ok = k, d, true
		}
	}
	return like, ok
}

// distance counts the letters to add, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
