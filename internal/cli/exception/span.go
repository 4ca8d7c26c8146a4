package exception

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// span reads how long something lasts: days and weeks, beside what Go reads.
func span(text string) (time.Duration, error) {
	wrong := fmt.Errorf("--for %q is no time such as 30d, 2w or 12h; a minute at least", text)
	d, err := time.ParseDuration(text)
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			var n uint64
			if n, err = strconv.ParseUint(number, 10, 16); err != nil {
				return 0, wrong
			}
			d = time.Duration(n) * unit
		}
	}
	if err != nil || d < time.Minute {
		return 0, wrong
	}
	return d, nil
}
