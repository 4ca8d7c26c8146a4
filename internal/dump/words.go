package dump

import (
	"hash/maphash"
	"slices"
	"time"
)

const (
	// longest is how long a text may be that is kept once for all objects.
	longest = 64
	// mostWords and mostParts are how many texts, and parts of objects, are kept so.
	mostWords = 500_000
	mostParts = 2_000_000
)

// common is what many objects have: texts, such as keys and images, and whole parts, such as the
// probes and volumes of one template. Each is kept once, which is most of a large dump. Who reads
// the objects changes none.
type common struct {
	seed  maphash.Seed
	words map[string]string
	parts map[uint64]any
}

func newCommon() *common {
	return &common{maphash.MakeSeed(), map[string]string{}, map[uint64]any{}}
}

func (c *common) word(text string) string {
	if len(text) > longest {
		return text
	}
	if known, ok := c.words[text]; ok {
		return known
	}
	if len(c.words) < mostWords {
		c.words[text] = text
	}
	return text
}

// object is the same object, with what is common from the list.
func (c *common) object(in map[string]any) map[string]any {
	out := make(map[string]any, len(in))
	for key, value := range in {
		out[c.word(key)], _ = c.value(value)
	}
	return out
}

// value is the same value, and a hash of it.
func (c *common) value(value any) (any, uint64) {
	switch v := value.(type) {
	case string:
		return c.word(v), maphash.String(c.seed, v)
	case map[string]any:
		out, sum := make(map[string]any, len(v)), uint64(len(v))
		for key, below := range v {
			held, hash := c.value(below)
			out[c.word(key)] = held
			sum += maphash.Comparable(c.seed, [2]uint64{maphash.String(c.seed, key), hash}) // in any order
		}
		return c.part(out, sum), sum
	case []any:
		out, sum := make([]any, len(v)), ^uint64(len(v))
		for i, below := range v {
			held, hash := c.value(below)
			out[i] = held
			sum = maphash.Comparable(c.seed, [2]uint64{sum, hash})
		}
		return c.part(out, sum), sum
	}
	return value, maphash.Comparable(c.seed, value)
}

// part is one that is the same and known already, or else itself.
func (c *common) part(value any, hash uint64) any {
	known, ok := c.parts[hash]
	switch {
	case ok && same(known, value):
		return known
	case !ok && len(c.parts) < mostParts:
		c.parts[hash] = value
	}
	return value
}

// same compares two parts whose own parts are from the list already.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, value := range x {
			if other, ok := y[key]; !ok || !one(value, other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, one)
	}
	return false
}

// one says that two values are one and the same; parts that are not from the list are compared.
func one(a, b any) bool {
	switch a.(type) {
	case map[string]any, []any:
		return same(a, b)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// clocks are fields that say when something was; others, such as notAfter, tell of what is to come.
var clocks = []string{"creationTimestamp", "deletionTimestamp", "eventTime", "finishedAt", "lastHeartbeatTime", "lastObservedTime", "lastTimestamp",
	"lastTransitionTime", "lastUpdateTime", "reconciledAt", "startedAt", "time"}

// newest finds the newest time of an object that is not after now.
func newest(value any, found *time.Time, now time.Time) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			text, isText := below.(string)
			if !isText {
				newest(below, found, now)
				continue
			}
			if len(text) < len("2006-01-02T15:04:05Z") || text[10] != 'T' || !slices.Contains(clocks, key) {
				continue
			}
			if at, err := time.Parse(time.RFC3339, text); err == nil && at.After(*found) && !at.After(now) {
				*found = at
			}
		}
	case []any:
		for _, below := range v {
			newest(below, found, now)
		}
	}
}
