package check

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/compile"
	"demarc.dev/demarc/internal/guardrail/offline"
)

// found says of one verdict what is to be said.
func (c *check) found(m Manifest, r offline.Request, v offline.Verdict, path string) finding.Finding {
	f := finding.Finding{
		ID: idOf(v.Policy), Severity: severity(v), Domain: "application-deployment", Owner: "team",
		Object: objectOf(m.Object, r.Namespace), Message: named(v.Message), Places: m.places(v, path),
	}
	switch v.Outcome {
	case offline.Failed:
		f.Message = "it cannot be evaluated: " + f.Message
	case offline.Unknown:
		f.Message = "not known without a cluster: " + f.Message
	case offline.Broken:
		if path != "" {
			f.Message = "the pods that it makes break it: " + moved(f.Message, v.Places, path)
		}
	}
	rule, shipped := guardrail.Find(f.ID)
	if !shipped {
		f.Mend = finding.Mend{Says: "change it so that the policy " + v.Policy + " allows it"}
		return f
	}
	f.Docs = Docs(f.ID)
	f.Mend = finding.Mend{Says: strings.TrimSpace(rule.Fix)}
	if rule.Fixable && m.From == "" && len(f.Places) > 0 {
		f.Mend.Command = "demarc fix " + shell(f.Places[0].File)
	}
	return f
}

// moved is a message that names places of a part as places of the whole.
func moved(message string, places []offline.Place, path string) string {
	for _, p := range places {
		message = strings.ReplaceAll(message, p.At+" is ", path+p.At+" is ")
	}
	return message
}

// named is a message that speaks of a team although nobody named one.
func named(message string) string {
	return strings.ReplaceAll(message, "demarc exception request "+anybody+" ", "demarc exception request TEAM ")
}

// Docs is the page of a rule that comes with Demarc.
func Docs(id string) string { return "docs/guardrails/" + id + ".md" }

// idOf is the rule's id, or the name of a policy of somebody's own.
func idOf(policy string) string { return strings.TrimPrefix(policy, compile.Prefix) }

func severity(v offline.Verdict) finding.Severity {
	switch {
	case v.Outcome == offline.Unknown:
		return finding.Note
	case v.Does(admissionregistrationv1.Deny):
		return finding.Error
	case v.Does(admissionregistrationv1.Warn):
		return finding.Warning
	default:
		return finding.Note
	}
}

// places of a verdict in the file: those that the policy tells, or the fields that its
// message names; at least the object itself.
func (m Manifest) places(v offline.Verdict, path string) (list []finding.Place) {
	told := v.Places
	if len(told) == 0 {
		told = mentioned(v.Message)
	}
	for _, p := range told {
		place := m.place(path + p.At)
		place.Field, place.Value = path+p.At, p.Is
		list = append(list, place)
	}
	if len(list) == 0 {
		list = append(list, m.place(""))
	}
	return list
}

func (m Manifest) place(path string) finding.Place {
	file, line := m.Find(path)
	return finding.Place{File: file, Line: line}
}

// fieldPath is what a message names a field by.
var fieldPath = regexp.MustCompile(`\b(?:spec|metadata|data|rules|subjects|roleRef)(?:\.[A-Za-z][A-Za-z0-9]*|\[[^\]\s]+\])+`)

// mentioned are the fields that a message names.
func mentioned(message string) (list []offline.Place) {
	for _, path := range fieldPath.FindAllString(message, -1) {
		if !slices.ContainsFunc(list, func(p offline.Place) bool { return p.At == path }) {
			list = append(list, offline.Place{At: path})
		}
	}
	return list
}

// sortByPlace puts findings in the order in which they stand in the files.
func sortByPlace(list []finding.Finding) {
	slices.SortStableFunc(list, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Places[0].File, b.Places[0].File), cmp.Compare(a.Places[0].Line, b.Places[0].Line),
			cmp.Compare(a.Object.String(), b.Object.String()), cmp.Compare(a.ID, b.ID))
	})
}

// shell quotes a word for a shell where that is needed.
func shell(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
