package compile

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"demarc.dev/demarc/internal/guardrail"
)

// Page is what people read about a rule.
func Page(r guardrail.Rule) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n", r.ID, r.Title, r.Why)
	fmt.Fprintf(&b, "| profile | mode |\n|---|---|\n| baseline | `%s` |\n| strict | `%s` |\n\n", r.Modes.Baseline, r.Modes.Strict)
	fmt.Fprintf(&b, "Judged: %s.\n", kinds(r.Resources()))
	if r.Worse == guardrail.WorseMore {
		b.WriteString("A change of something that went too far before is refused where it goes further.\n")
	}
	fmt.Fprintf(&b, "\n## Refused\n\n```yaml\n%s```\n", r.Bad)
	fmt.Fprintf(&b, "\n## Instead\n\n%s", r.Fix)
	if r.Fixable {
		b.WriteString("\n`demarc fix FILE` writes it.\n")
	}
	fmt.Fprintf(&b, "\n```yaml\n%s```\n", r.Good)
	if settings := settingsOf(r); settings != "" {
		fmt.Fprintf(&b, "\nBoth are judged with:\n\n```yaml\n%s```\n", settings)
	}
	fmt.Fprintf(&b, "\n## Where it does not fit\n\n    demarc exception request TEAM --rule %[1]s\n\nThe policy is `%[2]s%[1]s`, made from [its source](../../internal/guardrail/source/%[1]s.yaml). [All rules](README.md)\n", r.ID, Prefix)
	return []byte(b.String())
}

// settingsOf are the limits and the domains that the examples of a rule need, as they stand
// in Platform and Tenants.
func settingsOf(r guardrail.Rule) string {
	var b strings.Builder
	if limits := limitsText(r); limits != "" {
		b.WriteString("# Platform\nspec:\n  guardrails:\n    limits:\n" + indent(6, limits))
	}
	for _, team := range sorted(r.Domains) {
		name := strings.ReplaceAll(team, "TEAM", "the team")
		fmt.Fprintf(&b, "# Tenant of %s\nspec:\n  domains: [%s]\n", name, strings.Join(r.Domains[team], ", "))
	}
	return b.String()
}

// kinds names resources for people.
func kinds(rules []admissionv1.Rule) string {
	var all []string
	for _, r := range rules {
		for _, name := range r.Resources {
			all = append(all, "`"+name+"`")
		}
	}
	return strings.Join(all, ", ")
}

// Index is the list of all rules.
func Index(rules []guardrail.Rule) []byte {
	var b strings.Builder
	b.WriteString(indexHead)
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | `%s` | `%s` |\n", r.ID, r.ID, r.Title, r.Modes.Baseline, r.Modes.Strict)
	}
	b.WriteString(indexFoot)
	return []byte(b.String())
}
