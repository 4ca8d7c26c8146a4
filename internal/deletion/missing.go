package deletion

import (
	"slices"
	"strings"

	"demarc.dev/demarc/internal/snapshot"
)

// Missing says what could not be read, in lines for a person: the kinds that could not
// be listed in one place stand together.
func Missing(list []snapshot.Unread) (lines []string) {
	kinds := map[string][]string{}
	for _, u := range list {
		if u.Why != "" || u.Name != "" || u.Namespace == "" {
			line := u.String()
			if u.Why == "" {
				line += " (you may not)"
			}
			lines = append(lines, line)
			continue
		}
		at := u.Verb + " in " + u.Namespace + " (you may not): "
		resource := u.Resource
		if u.Group != "" {
			resource += "." + u.Group
		}
		kinds[at] = append(kinds[at], resource)
	}
	for at, names := range kinds {
		slices.Sort(names)
		lines = append(lines, at+strings.Join(names, ", "))
	}
	slices.Sort(lines)
	return lines
}
