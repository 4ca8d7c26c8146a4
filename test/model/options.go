package model

import "fmt"

// option is one thing that may happen next.
type option struct {
	name string
	do   func()
}

// options are the single moves that the parts and the operator can make now; of one kind
// its cache sees nothing meanwhile.
func (c *cluster) options(slow string) []option {
	var all []option
	p := c.operator
	all = append(all, p.options()...)
	if c.former != nil {
		all = append(all, c.former.options()...)
	}
	for _, r := range c.requests() {
		if len(p.tasks) < 3 && !p.busy(r[0], r[1]) {
			all = append(all, option{fmt.Sprintf("%s %s begins", r[0], r[1]), func() { p.begin(r[0], r[1]) }})
		}
	}
	for _, kind := range p.behind() {
		if kind == slow {
			continue
		}
		all = append(all, option{"the cache sees the next of " + kind, func() { p.see(kind) }},
			option{"the cache sees all of " + kind, func() { p.seen[kind] = c.Latest(kind) }})
	}
	parts := c.parts()
	for _, name := range sorted(parts) {
		all = append(all, option{name, func() { parts[name]() }})
	}
	return all
}

// options are how the requests that are under way may be answered.
func (p *process) options() []option {
	var all []option
	for _, t := range p.tasks {
		what := fmt.Sprintf("%s %s: %s", p.name, t, t.at)
		for range 4 { // mostly things work
			all = append(all, option{what, func() { p.move(t, answer) }})
		}
		all = append(all, option{what + " fails", func() { p.move(t, refuse) }}, option{what + ", and the answer is lost", func() { p.move(t, lose) }})
	}
	return all
}
