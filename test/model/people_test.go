package model

import (
	"strings"
	"time"

	"pgregory.net/rapid"
)

// people do what rapid draws, in a cluster in which everything moves as rapid draws.
type people struct {
	c     *cluster
	hands *hands
	cast  cast
	// slow is a kind of which the operator's cache sees changes late.
	slow string
	// violent says that things are forced and lost in this run, and Argo CD is uninstalled.
	violent bool
}

func (p *people) begin(t *rapid.T) {
	for _, team := range p.cast.teams {
		p.hands.createTenant(team, false)
	}
	for _, name := range sorted(p.cast.claims) {
		if rapid.Bool().Draw(t, name) {
			p.hands.createClaim(name, p.cast.claims[name])
		}
	}
	p.settle(t)
}

func (p *people) settle(t *rapid.T) {
	p.c.tell("--- everything runs")
	if err := p.c.settle(); err != nil {
		t.Fatal(err)
	}
	p.check(t)
}

func (p *people) check(t *rapid.T) {
	if len(p.c.watch.broken) > 0 {
		t.Fatal(strings.Join(p.c.watch.broken, "\n"))
	}
}

// actions are what happens next; much of it is small moves of everything that moves.
func (p *people) actions() map[string]func(*rapid.T) {
	actions := map[string]func(*rapid.T){
		"":               p.check,
		"moves":          p.moves,
		"operator looks": p.operatorLooks,
		"and again":      p.operatorLooks,
		"operator goes":  func(*rapid.T) { p.do("the next operator starts before this one has ended", p.c.replace) },
		"operator dies":  func(*rapid.T) { p.do("the operator dies", p.c.restart) },
		"time passes":    func(t *rapid.T) { pass(time.Duration(rapid.IntRange(1, 15).Draw(t, "seconds")) * time.Second) },
		"settle":         p.settle,
		"people ask":     func(t *rapid.T) { p.done(p.cast.asks(t)) },
		"people meddle":  func(t *rapid.T) { p.done(p.cast.meddles(t)) },
		"Argo CD stops":  func(*rapid.T) { p.do("stop or start Argo CD", func() { p.c.argo.Running = !p.c.argo.Running }) },
	}
	if p.violent {
		actions["people force"] = func(t *rapid.T) { p.done(p.cast.forces(t)) }
		actions["Argo CD goes"] = func(t *rapid.T) {
			if rapid.Bool().Draw(t, "comes") {
				p.do("install Argo CD", func() { p.c.Install("admin", "argoproj.io") })
			} else {
				p.do("uninstall Argo CD", p.c.uninstall)
			}
		}
	}
	return actions
}

// do tells what somebody does, and does it.
func (p *people) do(what string, do func()) {
	p.c.tell("> %s", what)
	do()
}

func (p *people) done(d deed) { p.do(d.name, func() { d.do(p.hands) }) }

func (p *people) moves(t *rapid.T) {
	for range rapid.IntRange(1, 40).Draw(t, "moves") {
		options := p.c.options(p.slow)
		o := options[rapid.IntRange(0, len(options)-1).Draw(t, "move")]
		p.c.tell("%s", o.name)
		o.do()
	}
}

// operatorLooks runs whole reconciles, on caches that have seen this and not that.
func (p *people) operatorLooks(t *rapid.T) {
	c := p.c
	for range rapid.IntRange(1, 6).Draw(t, "times") {
		for _, kind := range c.operator.behind() {
			if sees := rapid.IntRange(0, 5).Draw(t, kind); sees > 1 && kind != p.slow || sees == 5 {
				c.tell("the cache sees all of %s", kind)
				c.operator.seen[kind] = c.Latest(kind)
			}
		}
		requests := c.requests()
		if r := requests[rapid.IntRange(0, len(requests)-1).Draw(t, "at")]; !c.operator.busy(r[0], r[1]) {
			c.tell("%s %s is looked at", r[0], r[1])
			p.finish(t, c.operator.begin(r[0], r[1]))
		}
	}
}

// finish runs a reconcile to its end; in some, something happens between two of its
// requests, or one of them fails.
func (p *people) finish(t *rapid.T, task *task) {
	o := p.c.operator
	if rapid.IntRange(0, 2).Draw(t, "disturbed") > 0 {
		o.finish(task)
		return
	}
	for range rapid.IntRange(0, 12).Draw(t, "requests") {
		if task.at != "" {
			o.move(task, answer)
		}
	}
	if task.at == "" {
		return
	}
	p.c.tell("%s is at: %s", task, task.at)
	switch rapid.IntRange(0, 5).Draw(t, "by") {
	case 0:
		p.c.tell("that fails")
		o.move(task, refuse)
	case 1:
		p.c.tell("its answer is lost")
		o.move(task, lose)
	case 2:
		p.done(p.cast.meddles(t))
	case 3:
		p.done(p.cast.asks(t))
	default:
		for _, name := range sorted(p.c.parts()) {
			if part, there := p.c.parts()[name]; there && rapid.Bool().Draw(t, name) {
				part()
			}
		}
	}
	o.finish(task)
}
