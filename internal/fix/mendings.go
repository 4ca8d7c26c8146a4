package fix

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/manifest"
)

// mending changes the text at a place of a document, and says what is to be seen then.
type mending func(t *text, d manifest.Doc, p finding.Place, o finding.Object) (c change, says string, err error)

// jobSeconds that a Job which is over stays: a day.
const jobSeconds = "86400"

// mendings of the rules that have a mechanical one.
var mendings = map[string]mending{
	"privilege-escalation":  set("false", unprivileged),
	"capabilities-dropped":  all,
	"seccomp":               set("RuntimeDefault", nil),
	"service-account-token": set("false", nil),
	"job-ttl":               set(jobSeconds, nil),
	"pdb-blocks":            disruptible,
	"team-label":            team,
}

// Rules that have a mechanical mending, in the order of their ids.
func Rules() []string { return slices.Sorted(maps.Keys(mendings)) }

// set gives the field a value, where the object allows it.
func set(value string, allowed func(d manifest.Doc, path string) error) mending {
	return func(t *text, d manifest.Doc, p finding.Place, _ finding.Object) (change, string, error) {
		if allowed != nil {
			if err := allowed(d, p.Field); err != nil {
				return change{}, "", err
			}
		}
		_, last := parentOf(p.Field, 0)
		return change{field: last, value: asJSON(value)}, p.Field + ": " + value, t.set(d, p.Field, value)
	}
}

// asJSON is a value as JSON has it.
func asJSON(value string) string {
	if json.Valid([]byte(value)) {
		return value
	}
	return fmt.Sprintf("%q", value)
}

// all drops all capabilities.
func all(t *text, d manifest.Doc, p finding.Place, _ finding.Object) (change, string, error) {
	return change{field: "drop", value: `"ALL"`}, p.Field + ": ALL", t.add(d, p.Field, "ALL")
}

// errPrivileged is that the two do not go together: the API server refuses them.
var errPrivileged = errors.New("the container is privileged, or has the capability SYS_ADMIN, and that includes it: take that away first")

// unprivileged reports an error where allowPrivilegeEscalation cannot be false.
func unprivileged(d manifest.Doc, path string) error {
	context, _ := parentOf(path, 0)
	if node, _, left := d.Reach(context + ".privileged"); len(left) == 0 && node.Value == "true" {
		return errPrivileged
	}
	added, _, left := d.Reach(context + ".capabilities.add")
	for i := 0; len(left) == 0 && i < len(added.Content); i++ {
		if strings.TrimPrefix(added.Content[i].Value, "CAP_") == "SYS_ADMIN" {
			return errPrivileged
		}
	}
	return nil
}

// disruptible lets one pod be disrupted.
func disruptible(t *text, d manifest.Doc, p finding.Place, _ finding.Object) (change, string, error) {
	const field = "spec.maxUnavailable"
	c, says := change{field: "maxUnavailable", value: "1"}, field+": 1"
	if p.Field == field {
		return c, says, t.set(d, p.Field, "1")
	}
	c.gone = "minAvailable"
	return c, says + ", in the place of " + p.Field, t.rename(d, p.Field, "maxUnavailable", "1")
}

// team writes the team whose namespace it is.
func team(t *text, d manifest.Doc, p finding.Place, o finding.Object) (change, string, error) {
	name, known := admitted.TeamOf(o.Namespace)
	if !known {
		return change{}, "", errors.New("nobody said whose it is: give --team")
	}
	_, last := parentOf(p.Field, 0)
	return change{field: strings.Trim(last, "[]"), value: asJSON(name)}, p.Field + ": " + name, t.set(d, p.Field, name)
}
