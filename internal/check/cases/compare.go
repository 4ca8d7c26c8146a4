package cases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"demarc.dev/demarc/internal/guardrail/offline"
)

// words are what each policy said, the gravest where it has several bindings.
func words(r offline.Review) map[string]said {
	out := map[string]said{}
	for _, name := range r.Judged {
		out[name] = said{word: Allowed}
	}
	rank := []Word{Allowed, Unknown, Noted, Warned, Refused}
	for _, v := range r.Verdicts {
		word := wordOf(v)
		have, message := out[v.Policy], v.Message
		if have.message != "" {
			message = have.message + "\n" + v.Message
		}
		if slices.Index(rank, word) < slices.Index(rank, have.word) {
			word = have.word
		}
		out[v.Policy] = said{word, message}
	}
	return out
}

func wordOf(v offline.Verdict) Word {
	switch {
	case v.Outcome == offline.Unknown:
		return Unknown
	case v.Does(admissionregistrationv1.Deny):
		return Refused
	case v.Does(admissionregistrationv1.Warn):
		return Warned
	default:
		return Noted
	}
}

// compare says what was not as expected.
func (c Case) compare(policies *offline.Policies, all map[string]said) (wrong []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Expect)) {
		e, got := c.Expect[name], all[name]
		known := slices.ContainsFunc(policies.All(), func(p *offline.Policy) bool { return p.Name == name })
		_, judged := all[name]
		switch {
		case !known:
			wrong = append(wrong, fmt.Sprintf("there is no policy %s", name))
		case !judged && e.Verdict != Allowed:
			wrong = append(wrong, fmt.Sprintf("%s does not look at it, and is to be %s", name, e.Verdict))
		case judged && got.word != e.Verdict:
			wrong = append(wrong, fmt.Sprintf("%s: %s, and is to be %s%s", name, got.word, e.Verdict, because(got)))
		case !strings.Contains(got.message, e.Message):
			wrong = append(wrong, fmt.Sprintf("%s says %q, and is to say %q", name, got.message, e.Message))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, named := c.Expect[name]; !named && all[name].word != Allowed {
			wrong = append(wrong, fmt.Sprintf("%s: %s, and nothing is expected of it%s", name, all[name].word, because(all[name])))
		}
	}
	return wrong
}

func because(s said) string {
	if s.message == "" {
		return ""
	}
	return ": " + s.message
}
