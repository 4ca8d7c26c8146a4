package guardrail

import (
	"slices"
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
)

// Every rule is found by its id, and says what it has to.
func TestCatalogue(t *testing.T) {
	all := Catalogue()
	if len(all) < 28 {
		t.Fatalf("only %d rules", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b Rule) int { return slices.Compare([]string{a.ID}, []string{b.ID}) }) {
		t.Error("they are not in the order of their ids")
	}
	order := []v1alpha1.GuardrailMode{v1alpha1.GuardrailOff, v1alpha1.GuardrailAudit, v1alpha1.GuardrailWarn, v1alpha1.GuardrailDeny}
	for _, r := range all {
		if found, ok := Find(r.ID); !ok || found.Title != r.Title {
			t.Errorf("%s is not found by its id", r.ID)
		}
		if r.Title == "" || r.Why == "" || r.Fix == "" || len(r.Targets) == 0 {
			t.Errorf("%s: title, why, fix and targets have to be set", r.ID)
		}
		baseline, strict := slices.Index(order, r.Modes.Of(v1alpha1.ProfileBaseline)), slices.Index(order, r.Modes.Of(v1alpha1.ProfileStrict))
		if baseline < 0 || strict < baseline {
			t.Errorf("%s is %s in baseline and %s in strict, which is to be as strict at least", r.ID, r.Modes.Baseline, r.Modes.Strict)
		}
		for _, text := range []string{r.Good, r.Bad} {
			if _, err := Example(text); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
	}
	if _, ok := Find("nowhere"); ok {
		t.Error("a rule is found that there is not")
	}
}

// A rule with a word that there is not is an error and not another rule.
func TestParseRule(t *testing.T) {
	const good = "id: a\ncheck: '[]'\nallowed: \"''\"\ntargets: [pods]\n"
	if _, err := ParseRule([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"an unknown field":  good + "tagret: [pods]\n",
		"an unknown target": "id: a\ncheck: '[]'\nallowed: \"''\"\ntargets: [podz]\n",
		"no check":          "id: a\nallowed: \"''\"\ntargets: [pods]\n",
	} {
		if _, err := ParseRule([]byte(text)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
