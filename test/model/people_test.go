package model

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"demarc.dev/demarc/api/v1alpha1"
)

// people do what rapid draws.
type people struct {
	c      *cluster
	team   *rapid.Generator[string]
	claim  *rapid.Generator[string]
	claims map[string]string
	// slow is a kind of which the operator's cache sees changes late.
	slow string
	// violent says that things are forced and lost in this run, and Argo CD is uninstalled.
	violent bool
}

func (p *people) begin(t *rapid.T, teams []string) {
	for _, team := range teams {
		p.c.createTenant(team, false)
	}
	for _, name := range sorted(p.claims) {
		if rapid.Bool().Draw(t, name) {
			p.c.createClaim(name, p.claims[name])
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
		"operator dies":  func(*rapid.T) { p.do("the operator dies", p.c.restart) },
		"time passes":    func(t *rapid.T) { pass(time.Duration(rapid.IntRange(1, 15).Draw(t, "seconds")) * time.Second) },
		"settle":         p.settle,
		"people ask":     func(t *rapid.T) { p.one(t, p.asks()) },
		"people meddle":  func(t *rapid.T) { p.one(t, p.meddling()) },
	}
	if p.violent {
		actions["people force"] = func(t *rapid.T) { p.one(t, p.violence()) }
	}
	return actions
}

func (p *people) one(t *rapid.T, of map[string]func(*rapid.T)) {
	of[rapid.SampledFrom(sorted(of)).Draw(t, "what")](t)
}

// do tells what somebody does, and does it.
func (p *people) do(what string, do func()) {
	p.c.tell("> %s", what)
	do()
}

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
		p.one(t, p.meddling())
	case 3:
		p.one(t, p.asks())
	default:
		for _, name := range sorted(p.c.parts()) {
			if rapid.Bool().Draw(t, name) {
				p.c.parts()[name]()
			}
		}
	}
	o.finish(task)
}

var cascade = rapid.SampledFrom([]string{"background", "foreground", "orphan"})

func (p *people) asks() map[string]func(*rapid.T) {
	c := p.c
	return map[string]func(*rapid.T){
		"create tenant": func(t *rapid.T) {
			team, adopt := p.team.Draw(t, "team"), rapid.Bool().Draw(t, "adopt")
			p.do(fmt.Sprintf("create Tenant %s, adopt %v", team, adopt), func() { c.createTenant(team, adopt) })
		},
		"create claim": func(t *rapid.T) {
			name := p.claim.Draw(t, "claim")
			p.do("create claim "+name, func() { c.createClaim(name, p.claims[name]) })
		},
		"delete tenant": func(t *rapid.T) {
			team, how := p.team.Draw(t, "team"), cascade.Draw(t, "cascade")
			p.do("delete Tenant "+team+" "+how, func() { c.remove(tenantKey(team), how) })
		},
		"delete claim": func(t *rapid.T) {
			name, how := p.claim.Draw(t, "claim"), cascade.Draw(t, "cascade")
			p.do("delete claim "+name+" "+how, func() { c.remove(claimKey(name), how) })
		},
	}
}

func (p *people) meddling() map[string]func(*rapid.T) {
	c := p.c
	return map[string]func(*rapid.T){
		"change claim": func(t *rapid.T) {
			name, port := p.claim.Draw(t, "claim"), rapid.Int64Range(80, 82).Draw(t, "port")
			p.do("change claim "+name, func() { c.change(name, port) })
		},
		"create namespace": func(t *rapid.T) {
			team := p.team.Draw(t, "team")
			p.do("create namespace of "+team, func() { c.createNamespace(team) })
		},
		"delete what is kept": func(t *rapid.T) {
			p.some(t, []string{"Namespace", "Application", "AppProject"}, "delete", func(k keyType) { c.remove(k, "background") })
		},
		"hold":             func(t *rapid.T) { p.some(t, []string{"Application", "ServiceClaim", "Tenant"}, "hold", c.hold) },
		"clean up by hand": func(*rapid.T) { p.do("clean up by hand", c.cleanUp) },
		"stop Argo CD":     func(*rapid.T) { p.do("stop or start Argo CD", func() { c.argo.Running = !c.argo.Running }) },
		"release claim": func(t *rapid.T) {
			name := p.claim.Draw(t, "claim")
			p.do("release claim "+name, func() { c.annotate(claimKey(name), v1alpha1.AnnotationRelease, "moves away") })
		},
	}
}

// some does something to some objects of some kinds.
func (p *people) some(t *rapid.T, kinds []string, what string, do func(keyType)) {
	for _, kind := range kinds {
		for _, o := range p.c.Now(kind) {
			if k := keyOf(o); rapid.Bool().Draw(t, k.String()) {
				p.do(what+" "+k.String(), func() { do(k) })
			}
		}
	}
}

// violence is what ends in something being left behind.
func (p *people) violence() map[string]func(*rapid.T) {
	c := p.c
	return map[string]func(*rapid.T){
		"force claim": func(t *rapid.T) {
			name := p.claim.Draw(t, "claim")
			p.do("force claim "+name, func() { c.annotate(claimKey(name), v1alpha1.AnnotationForce, "it hangs") })
		},
		"lose claim": func(t *rapid.T) {
			name := p.claim.Draw(t, "claim")
			p.do("lose claim "+name, func() { c.lose(claimKey(name)) })
		},
		"force tenant": func(t *rapid.T) {
			team := p.team.Draw(t, "team")
			p.do("force Tenant "+team, func() { c.force(team) })
		},
		"uninstall Argo CD": func(*rapid.T) { p.do("uninstall Argo CD", c.uninstall) },
		"install Argo CD":   func(*rapid.T) { p.do("install Argo CD", func() { c.Install("admin", "argoproj.io") }) },
	}
}
