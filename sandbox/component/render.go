package component

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// secret marks the names of variables whose value is never shown.
const secret = "PASSWORD"

// Render prints a plan for a person: one block per component, in the order of starting.
func Render(plan []Component) string {
	var b strings.Builder
	for _, c := range plan {
		fmt.Fprintf(&b, "%s\n", c.Name)
		line(&b, "binary", c.Binary)
		for _, arg := range c.Args {
			line(&b, "arg", arg)
		}
		for _, key := range slices.Sorted(maps.Keys(c.Env)) {
			line(&b, "env", key+"="+shown(key, c.Env[key]))
		}
		for _, p := range c.Ports {
			line(&b, "port", fmt.Sprintf("127.0.0.1:%d %s", p.Number, p.Name))
		}
		for _, f := range c.Files {
			line(&b, "needs", f)
		}
		if len(c.After) > 0 {
			line(&b, "after", strings.Join(c.After, ", "))
		}
		line(&b, "ready", c.Ready.String())
	}
	return b.String()
}

func line(b *strings.Builder, key, value string) { fmt.Fprintf(b, "  %-7s %s\n", key, value) }

func shown(key, value string) string {
	if strings.Contains(key, secret) {
		return "(hidden)"
	}
	return value
}

// String says in words when the component counts as ready.
func (p Probe) String() string {
	switch {
	case p.HTTP != "":
		return "GET " + p.HTTP
	case p.TCP != "":
		return "connect " + p.TCP
	}
	return "when it runs"
}
