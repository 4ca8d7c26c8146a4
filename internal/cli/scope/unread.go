package scope

import (
	"fmt"
	"strings"

	"demarc.dev/demarc/internal/snapshot"
)

// NotRead names once what was not read for the same reason.
func NotRead(list []snapshot.Unread) (lines []string) {
	var reasons []string
	by := map[string][]snapshot.Unread{}
	for _, u := range list {
		key := u.Verb + "\n" + u.Namespace + "\n" + u.Why
		if by[key] == nil {
			reasons = append(reasons, key)
		}
		by[key] = append(by[key], u)
	}
	for _, key := range reasons {
		same := by[key]
		first := same[0]
		if len(same) == 1 {
			lines = append(lines, first.String())
			continue
		}
		var kinds []string
		for _, u := range same {
			kinds = append(kinds, strings.TrimSuffix(u.Resource+"."+u.Group, "."))
		}
		line := fmt.Sprintf("%s %s", first.Verb, strings.Join(kinds, ", "))
		if first.Namespace != "" {
			line += " in " + first.Namespace
		}
		if first.Why != "" {
			line += ": " + first.Why
		}
		lines = append(lines, line)
	}
	return lines
}
