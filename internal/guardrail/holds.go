package guardrail

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"demarc.dev/demarc/api/v1alpha1"
)

// Holds is what a GuardrailSet says: what holds in one mode.
type Holds struct {
	// Rules that have the mode for anybody, by their ids.
	Rules  map[string]Scope
	Limits v1alpha1.GuardrailLimits
	// Domains by team, in order.
	Domains map[string][]string
	// Exceptions by team, in the order of their names.
	Exceptions map[string][]Allowed
}

// Scope says for whom a rule has a mode.
type Scope struct {
	// Everybody but the teams in Except.
	Everybody bool
	Except    []string
	// Teams for which it has the mode, where it has not for everybody.
	Teams []string
}

// Allowed is an exception, as the policies read it.
type Allowed struct {
	Name  string
	Rules []string
	// MatchLabels that an object has to have; none: all objects.
	MatchLabels map[string]string
	Expires     metav1.Time
}

// Spec is how it is written down.
func (h Holds) Spec() v1alpha1.GuardrailSetSpec {
	s := v1alpha1.GuardrailSetSpec{Summary: summary(h.Rules), Limits: h.Limits}
	var except, teams, domains, exceptions []string
	for _, id := range slices.Sorted(maps.Keys(h.Rules)) {
		scope := h.Rules[id]
		if scope.Everybody {
			s.Rules = append(s.Rules, id)
		}
		except = append(except, each(id+"/", scope.Except, "")...)
		teams = append(teams, each(id+"/", scope.Teams, "")...)
	}
	for team, names := range h.Domains {
		domains = append(domains, each("", names, " "+team)...)
	}
	slices.Sort(domains)
	for _, team := range slices.Sorted(maps.Keys(h.Exceptions)) {
		for _, a := range h.Exceptions[team] {
			// What is no line, because something in it has a blank, would be read as another.
			if got, same, ok := readAllowed(a.line(team)); ok && got == team && same.line(team) == a.line(team) && !strings.ContainsAny(a.line(team), "\r\n") {
				exceptions = append(exceptions, a.line(team))
			}
		}
	}
	s.Except, s.Teams, s.Domains, s.Exceptions = lines(except), lines(teams), lines(domains), lines(exceptions)
	return s
}

func each(before string, list []string, after string) (out []string) {
	for _, item := range list {
		out = append(out, before+item+after)
	}
	return out
}

func lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

func (a Allowed) line(team string) string {
	fields := []string{team, a.Name, a.Expires.UTC().Format(time.RFC3339), strings.Join(a.Rules, ",")}
	if len(a.MatchLabels) > 0 {
		fields = append(fields, labels.Set(a.MatchLabels).String())
	}
	return strings.Join(fields, " ")
}

// Read is what a GuardrailSet says. Lines that are none are passed over, as the policies do.
func Read(s v1alpha1.GuardrailSetSpec) Holds {
	h := Holds{Rules: map[string]Scope{}, Limits: s.Limits, Domains: map[string][]string{}, Exceptions: map[string][]Allowed{}}
	for _, id := range s.Rules {
		h.Rules[id] = Scope{Everybody: true}
	}
	for line := range strings.Lines(s.Except) {
		if id, team, ok := strings.Cut(strings.TrimSpace(line), "/"); ok {
			scope := h.Rules[id]
			scope.Except = append(scope.Except, team)
			h.Rules[id] = scope
		}
	}
	for line := range strings.Lines(s.Teams) {
		if id, team, ok := strings.Cut(strings.TrimSpace(line), "/"); ok {
			scope := h.Rules[id]
			scope.Teams = append(scope.Teams, team)
			h.Rules[id] = scope
		}
	}
	for line := range strings.Lines(s.Domains) {
		if domain, team, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			h.Domains[team] = append(h.Domains[team], domain)
		}
	}
	for line := range strings.Lines(s.Exceptions) {
		if team, a, ok := readAllowed(strings.TrimSpace(line)); ok {
			h.Exceptions[team] = append(h.Exceptions[team], a)
		}
	}
	return h
}

func readAllowed(line string) (team string, a Allowed, ok bool) {
	fields := strings.Split(line, " ")
	if len(fields) < 4 || len(fields) > 5 {
		return "", a, false
	}
	expires, err := time.Parse(time.RFC3339, fields[2])
	if err != nil {
		return "", a, false
	}
	a = Allowed{Name: fields[1], Rules: strings.Split(fields[3], ","), Expires: metav1.NewTime(expires)}
	if len(fields) > 4 {
		if a.MatchLabels, err = labels.ConvertSelectorToLabelsMap(fields[4]); err != nil {
			return "", a, false
		}
	}
	return fields[0], a, true
}

// allowed are the exceptions as the policies read them, by team, in the order of their
// names.
func allowed(list []v1alpha1.GuardrailException) map[string][]Allowed {
	out := map[string][]Allowed{}
	for i := range list {
		e := &list[i]
		if e.Spec.Approval == nil || e.Spec.Revocation != nil {
			continue
		}
		a := Allowed{Name: e.Name, Rules: slices.Sorted(slices.Values(e.Spec.Rules)), Expires: e.Spec.Expires}
		a.MatchLabels = e.Spec.Selector.Labels()
		out[e.Spec.Team] = append(out[e.Spec.Team], a)
	}
	for _, team := range out {
		slices.SortFunc(team, func(a, b Allowed) int { return cmp.Compare(a.Name, b.Name) })
	}
	return out
}
