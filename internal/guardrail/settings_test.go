package guardrail

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"demarc.dev/demarc/api/v1alpha1"
)

const (
	deny, warn, audit, off = v1alpha1.GuardrailDeny, v1alpha1.GuardrailWarn, v1alpha1.GuardrailAudit, v1alpha1.GuardrailOff
	baseline, strict       = v1alpha1.ProfileBaseline, v1alpha1.ProfileStrict
)

// three rules: one that always refuses, one that strict alone refuses, one that is off.
var three = map[string]Modes{
	"host-path": {deny, deny},
	"image-tag": {warn, deny},
	"spread":    {off, audit},
}

func platform(edit func(*v1alpha1.PlatformGuardrails)) *v1alpha1.Platform {
	p := &v1alpha1.Platform{}
	edit(&p.Spec.Guardrails)
	return p
}

func ruled(pairs ...any) (out []v1alpha1.GuardrailRule) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, v1alpha1.GuardrailRule{ID: pairs[i].(string), Mode: pairs[i+1].(v1alpha1.GuardrailMode)})
	}
	return out
}

// words writes the sets in a line each: what is in them and for whom.
func words(sets []v1alpha1.GuardrailSet) (lines []string) {
	for _, s := range sets {
		if ofHosts(s.Name) {
			continue // a test of their own has these
		}
		var rules []string
		for id, scope := range Read(s.Spec).Rules {
			rules = append(rules, id+" "+scopeWords(scope))
		}
		slices.Sort(rules)
		lines = append(lines, fmt.Sprintf("%s (%s): %s", s.Name, s.Spec.Summary, strings.Join(rules, ", ")))
	}
	return lines
}

func scopeWords(s Scope) string {
	switch {
	case s.Everybody && len(s.Except) > 0:
		return "all but " + strings.Join(s.Except, " ")
	case s.Everybody:
		return "all"
	default:
		return strings.Join(s.Teams, " ")
	}
}

func TestSetsModes(t *testing.T) {
	for name, c := range map[string]struct {
		platform *v1alpha1.Platform
		want     []string
	}{
		"without a Platform": {nil, []string{"deny (1): host-path all", "warn (1): image-tag all", "audit (0): "}},
		"an emptied Platform": {&v1alpha1.Platform{},
			[]string{"deny (1): host-path all", "warn (1): image-tag all", "audit (0): "}},
		"strict": {platform(func(g *v1alpha1.PlatformGuardrails) { g.Profile = strict }),
			[]string{"deny (2): host-path all, image-tag all", "warn (0): ", "audit (1): spread all"}},
		"a rule with a mode of its own": {platform(func(g *v1alpha1.PlatformGuardrails) { g.Rules = ruled("host-path", off, "spread", warn) }),
			[]string{"deny (0): ", "warn (2): image-tag all, spread all", "audit (0): "}},
		"a team with a mode of its own": {platform(func(g *v1alpha1.PlatformGuardrails) {
			g.Teams = []v1alpha1.TeamGuardrails{{Team: "b", Rules: ruled("host-path", audit, "image-tag", deny)}, {Team: "a", Rules: ruled("host-path", off)}}
		}), []string{"deny (2, 1 of them for some teams alone): host-path all but a b, image-tag b", "warn (1): image-tag all but b",
			"audit (1, for some teams alone): host-path b"}},
		"a team with the mode that all have": {platform(func(g *v1alpha1.PlatformGuardrails) {
			g.Teams = []v1alpha1.TeamGuardrails{{Team: "a", Rules: ruled("host-path", deny, "spread", off)}}
		}), []string{"deny (1): host-path all", "warn (1): image-tag all", "audit (0): "}},
		"a rule that there is not": {platform(func(g *v1alpha1.PlatformGuardrails) { g.Rules = ruled("image-tga", deny) }),
			[]string{"deny (1): host-path all", "warn (1): image-tag all", "audit (0): "}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, words(sets(three, c.platform, nil, nil))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// drawn is a Platform with any modes, for rules that there are and one that there is not.
func drawn(t *rapid.T, label string) *v1alpha1.Platform {
	mode := rapid.SampledFrom([]v1alpha1.GuardrailMode{deny, warn, audit, off})
	rules := func(label string) (out []v1alpha1.GuardrailRule) {
		for _, id := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"host-path", "image-tag", "spread", "nowhere"}), rapid.ID[string]).Draw(t, label) {
			out = append(out, v1alpha1.GuardrailRule{ID: id, Mode: mode.Draw(t, label+" "+id)})
		}
		return out
	}
	return platform(func(g *v1alpha1.PlatformGuardrails) {
		g.Profile = rapid.SampledFrom([]v1alpha1.GuardrailProfile{"", baseline, strict}).Draw(t, label+" profile")
		g.Rules = rules(label + " all")
		for _, team := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID[string]).Draw(t, label+" teams") {
			g.Teams = append(g.Teams, v1alpha1.TeamGuardrails{Team: team, Rules: rules(label + " " + team)})
		}
	})
}

// spoken is the mode of a rule for a team, read off the settings as a person would.
func spoken(p *v1alpha1.Platform, rule, team string) v1alpha1.GuardrailMode {
	g := p.Spec.Guardrails
	for _, t := range g.Teams {
		for _, r := range t.Rules {
			if t.Team == team && r.ID == rule {
				return r.Mode
			}
		}
	}
	for _, r := range g.Rules {
		if r.ID == rule {
			return r.Mode
		}
	}
	if g.Profile == strict {
		return three[rule].Strict
	}
	return three[rule].Baseline
}

// Whatever the settings, each rule has for each team the one mode that they say, d being
// a team that they do not name.
func TestSetsSayWhatTheSettingsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t, "platform")
		made := sets(three, p, nil, nil)
		for rule := range three {
			for _, team := range []string{"a", "b", "c", "d"} {
				if got, want := ModeOf(made, rule, team), spoken(p, rule, team); got != want {
					t.Errorf("%s is %s for %s, want %s", rule, got, team, want)
				}
				in := 0
				for _, s := range made {
					if Covers(Read(s.Spec).Rules[rule], team) {
						in++
					}
				}
				if in > 1 {
					t.Errorf("%s has %d modes for %s", rule, in, team)
				}
			}
		}
		for _, s := range made {
			if len(s.Spec.Summary) > 256 {
				t.Errorf("the summary of %s is %d long", s.Name, len(s.Spec.Summary))
			}
			if _, ok := Read(s.Spec).Rules["nowhere"]; ok {
				t.Errorf("%s has a rule that there is not", s.Name)
			}
		}
	})
}

// What became stricter is what is refused after a change and was not before, for each team.
func TestChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := sets(three, drawn(t, "before"), nil, nil), sets(three, drawn(t, "after"), nil, nil)
		changed := Changed(before, after)
		for rule := range three {
			for _, team := range []string{"a", "b", "c", "d"} {
				want := ModeOf(after, rule, team) == deny && ModeOf(before, rule, team) != deny
				got := slices.ContainsFunc(changed, func(c Tightened) bool { return c.Rule == rule && Covers(c.For, team) })
				if got != want {
					t.Errorf("%s for %s: %v, want %v; %+v", rule, team, got, want, changed)
				}
			}
		}
		for _, c := range changed {
			if !c.For.Everybody && len(c.For.Teams) == 0 {
				t.Errorf("%s became stricter for nobody", c.Rule)
			}
		}
	})
}

func TestChangedInWords(t *testing.T) {
	after := sets(three, platform(func(g *v1alpha1.PlatformGuardrails) {
		g.Profile = strict
		g.Teams = []v1alpha1.TeamGuardrails{{Team: "a", Rules: ruled("image-tag", warn)}}
	}), nil, nil)
	var got []string
	for _, c := range Changed(sets(three, nil, nil, nil), after) {
		got = append(got, c.Rule+" "+scopeWords(c.For))
	}
	if diff := cmp.Diff([]string{"image-tag all but a"}, got); diff != "" {
		t.Error(diff)
	}
	if again := Changed(after, after); len(again) > 0 {
		t.Errorf("nothing changed, and it says %+v", again)
	}
	if first := Changed(nil, after); len(first) != 2 {
		t.Errorf("before there were none, and it says %+v", first)
	}
}

func TestSetsLimitsAndDomains(t *testing.T) {
	p := platform(func(g *v1alpha1.PlatformGuardrails) {
		g.Limits = v1alpha1.GuardrailLimits{Registries: []string{"b.example", "a.example"}, Replicas: ptr.To[int32](20), LimitRatio: ptr.To[int32](3)}
	})
	teams := []v1alpha1.Tenant{
		{ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: v1alpha1.TenantSpec{Domains: []string{"shop.example", "a.example"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "plain"}},
	}
	for _, s := range sets(three, p, teams, nil) {
		want := v1alpha1.GuardrailLimits{Registries: []string{"a.example", "b.example"}, Replicas: ptr.To[int32](20), LimitRatio: ptr.To[int32](3), GracePeriodSeconds: ptr.To[int32](300)}
		if diff := cmp.Diff(want, s.Spec.Limits); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
		domains := ""
		if ofHosts(s.Name) {
			domains = "a.example shop\nshop.example shop\n"
		}
		if diff := cmp.Diff(domains, s.Spec.Domains); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
	}
	p.Spec.Expose.Domain = "apps.example"
	want := "a.example shop\nplain.apps.example plain\nshop.apps.example shop\nshop.example shop\n"
	if diff := cmp.Diff(want, sets(three, p, teams, nil)[3].Spec.Domains); diff != "" {
		t.Errorf("where the Platform has a domain: %s", diff)
	}
	if got := p.Spec.Guardrails.Limits.Registries; got[0] != "b.example" {
		t.Errorf("the Platform that was handed in was changed: %v", got)
	}
	if got := sets(three, nil, nil, nil)[0].Spec.Limits; *got.LimitRatio != DefaultLimitRatio || *got.GracePeriodSeconds != DefaultGracePeriodSeconds || got.Replicas != nil {
		t.Errorf("defaults are %+v", got)
	}
}

// Rules that judge hosts stand in the sets that have the domains, and in no other.
func TestSetsOfHosts(t *testing.T) {
	for _, s := range Sets(nil, nil, nil) {
		for id := range Read(s.Spec).Rules {
			r, known := Find(id)
			if !known || r.Set(ModeOfSet(s.Name)) != s.Name {
				t.Errorf("%s is in the set %s", id, s.Name)
			}
		}
	}
	for id, want := range map[string]string{"ingress-host": "warn-hosts", "foreign-host": "warn-hosts", "ingress-class": "warn"} {
		if r, _ := Find(id); r.Set(v1alpha1.GuardrailWarn) != want {
			t.Errorf("%s reads %s, want %s", id, r.Set(v1alpha1.GuardrailWarn), want)
		}
	}
}

// What is written into a set is read again as it was.
func TestHolds(t *testing.T) {
	name := rapid.StringMatching(`[a-z]([a-z0-9-]{0,8}[a-z0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		h := Holds{Rules: map[string]Scope{}, Domains: map[string][]string{}, Exceptions: map[string][]Allowed{}}
		for _, id := range rapid.SliceOfNDistinct(name, 0, 4, rapid.ID[string]).Draw(t, "rules") {
			teams := rapid.SliceOfNDistinct(name, 1, 3, rapid.ID[string]).Draw(t, "teams")
			if rapid.Bool().Draw(t, "everybody") {
				h.Rules[id] = Scope{Everybody: true, Except: teams}
			} else {
				h.Rules[id] = Scope{Teams: teams}
			}
		}
		for _, team := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID[string]).Draw(t, "named") {
			h.Domains[team] = []string{"0.example", "z." + team + ".example"}
			e := Allowed{Name: "e", Rules: []string{"a", "b"}, Expires: metav1.NewTime(noon)}
			if rapid.Bool().Draw(t, "labels") {
				e.MatchLabels = map[string]string{"app": "web", "example.org/tier": ""}
			}
			h.Exceptions[team] = []Allowed{e}
		}
		if diff := cmp.Diff(h, Read(h.Spec()), cmp.Comparer(func(a, b metav1.Time) bool { return a.Equal(&b) })); diff != "" {
			t.Error(diff)
		}
	})
	forged := Holds{Exceptions: map[string][]Allowed{"a": {{Name: "e", Rules: []string{"r"}, Expires: metav1.NewTime(noon),
		MatchLabels: map[string]string{"app": "web\nshop forged 2099-01-01T00:00:00Z privileged"}}}}}
	if got := forged.Spec().Exceptions; got != "" {
		t.Errorf("what is in a label becomes a line: %q", got)
	}
	for _, broken := range []string{"a", "a e", "a e never r", "a e 2030-01-01T00:00:00Z"} {
		if got := Read(v1alpha1.GuardrailSetSpec{Exceptions: broken}).Exceptions; len(got) > 0 {
			t.Errorf("%q is read as %v", broken, got)
		}
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(days int) metav1.Time { return metav1.Time{Time: noon.Add(time.Duration(days) * day)} }

// exception of team a that was asked for at noon, approved a day later, and ends after ten.
func exception(name string, edits ...func(*v1alpha1.GuardrailException)) v1alpha1.GuardrailException {
	e := v1alpha1.GuardrailException{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.GuardrailExceptionSpec{
		Team: "a", Rules: []string{"spread", "host-path"}, Expires: at(10), Approval: &v1alpha1.Approval{By: "bo"}}}
	e.Status.ApprovedAt = ptr.To(at(1))
	for _, edit := range edits {
		edit(&e)
	}
	return e
}

func TestSetsExceptions(t *testing.T) {
	list := []v1alpha1.GuardrailException{
		exception("two"),
		exception("one", func(e *v1alpha1.GuardrailException) {
			e.Spec.Selector = &v1alpha1.GuardrailSelector{MatchLabels: map[string]v1alpha1.ClaimLabelValue{"app": "web"}}
		}),
		exception("asked", func(e *v1alpha1.GuardrailException) { e.Spec.Approval = nil }),
		exception("revoked", func(e *v1alpha1.GuardrailException) { e.Spec.Revocation = &v1alpha1.Revocation{By: "bo"} }),
		exception("another", func(e *v1alpha1.GuardrailException) { e.Spec.Team = "b" }),
	}
	rules := []string{"host-path", "spread"}
	want := map[string][]Allowed{
		"a": {
			{Name: "one", Rules: rules, MatchLabels: map[string]string{"app": "web"}, Expires: at(10)}, {Name: "two", Rules: rules, Expires: at(10)}},
		"b": {{Name: "another", Rules: rules, Expires: at(10)}},
	}
	for _, s := range sets(three, nil, nil, list) {
		if diff := cmp.Diff(want, Read(s.Spec).Exceptions); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
	}
}

// An exception is in the sets from when the operator let it through until some days after
// its end, so that a refusal can name it.
func TestInForce(t *testing.T) {
	ended := func(days int) func(*v1alpha1.GuardrailException) {
		return func(e *v1alpha1.GuardrailException) { e.Status.EndedAt = ptr.To(at(days)) }
	}
	for name, c := range map[string]struct {
		exception v1alpha1.GuardrailException
		at        int
		in        bool
	}{
		"approved":             {exception("e"), 2, true},
		"not looked at yet":    {exception("e", func(e *v1alpha1.GuardrailException) { e.Status.ApprovedAt = nil }), 2, false},
		"refused":              {exception("e", func(e *v1alpha1.GuardrailException) { e.Status.ApprovedAt = nil }, ended(1)), 2, false},
		"revoked, not seen":    {exception("e", func(e *v1alpha1.GuardrailException) { e.Spec.Revocation = &v1alpha1.Revocation{By: "bo"} }), 2, false},
		"its team went":        {exception("e", ended(5)), 6, false},
		"lapsed":               {exception("e", ended(10)), 11, true},
		"lapsed, not seen":     {exception("e"), 16, true},
		"lapsed some days ago": {exception("e", ended(10)), 17, false},
	} {
		t.Run(name, func(t *testing.T) {
			in, next := InForce([]v1alpha1.GuardrailException{c.exception}, TermsOf(nil), at(c.at).Time)
			if (len(in) == 1) != c.in {
				t.Errorf("it is in: %v, want %v", len(in) == 1, c.in)
			}
			if c.in && !next.Equal(at(17).Time) {
				t.Errorf("it falls out at %s, want %s", next, at(17))
			}
		})
	}
	short := exception("short", func(e *v1alpha1.GuardrailException) { e.Spec.Expires = at(3) })
	if _, next := InForce([]v1alpha1.GuardrailException{exception("long"), short}, TermsOf(nil), at(2).Time); !next.Equal(at(10).Time) {
		t.Errorf("the first falls out at %s, want %s", next, at(10))
	}
	none := platform(func(g *v1alpha1.PlatformGuardrails) { g.Exceptions.WarnDays = ptr.To[int32](0) })
	if in, _ := InForce([]v1alpha1.GuardrailException{short}, TermsOf(none), at(3).Add(time.Hour)); len(in) != 1 {
		t.Error("without a warning it is forgotten in the moment of its end")
	}
}

func TestTermsOf(t *testing.T) {
	p := platform(func(g *v1alpha1.PlatformGuardrails) {
		g.Exceptions = v1alpha1.PlatformExceptions{MaxDays: ptr.To[int32](30), WarnDays: ptr.To[int32](0)}
	})
	if diff := cmp.Diff([]Terms{{90 * day, 7 * day}, {30 * day, 0}}, []Terms{TermsOf(nil), TermsOf(p)}); diff != "" {
		t.Error(diff)
	}
}

// A rule or a team that there is not is told of, and where.
func TestUnknowns(t *testing.T) {
	p := platform(func(g *v1alpha1.PlatformGuardrails) {
		g.Rules = ruled("image-tga", deny, "spread", off)
		g.Teams = []v1alpha1.TeamGuardrails{{Team: "a", Rules: ruled("nowhere", off)}, {Team: "z", Rules: ruled("spread", deny)}}
	})
	var got []string
	for _, u := range unknowns(three, p, []v1alpha1.Tenant{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}) {
		got = append(got, u.String())
	}
	if diff := cmp.Diff([]string{
		"spec.guardrails.rules[image-tga]: there is no rule image-tga",
		"spec.guardrails.teams[a].rules[nowhere]: there is no rule nowhere",
		"spec.guardrails.teams[z]: there is no Tenant z",
	}, got); diff != "" {
		t.Error(diff)
	}
	if none := unknowns(three, nil, nil); len(none) > 0 {
		t.Errorf("without a Platform: %v", none)
	}
}
