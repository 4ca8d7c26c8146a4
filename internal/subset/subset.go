// Package subset compares decoded JSON: whether a live object holds all that was
// asked for, whatever else others keep in it.
package subset

import "slices"

// Within reports whether live has every field of want. Lists are compared element
// by element and in order: those that Demarc writes are atomic.
func Within(want, live any) bool {
	switch w := want.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		if !ok {
			return live == nil && len(w) == 0 // the server drops an empty object
		}
		for key, value := range w {
			if !Within(value, l[key]) {
				return false
			}
		}
		return true
	case []any:
		l, ok := live.([]any)
		if !ok {
			return live == nil && len(w) == 0
		}
		return slices.EqualFunc(w, l, Within)
	default:
		return number(want) == number(live)
	}
}

// number makes the integers and floats that JSON decoders hand out comparable.
func number(v any) any {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case int:
		return float64(n)
	default:
		return v
	}
}
