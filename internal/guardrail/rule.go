package guardrail

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/snapshot"
)

//go:embed source/*.yaml
var sources embed.FS

// Rule is one of those that come with Demarc, as internal/guardrail/source has it. What
// the API server evaluates is made from it.
type Rule struct {
	// ID is its name for people and in settings, such as image-registry.
	ID string `json:"id"`
	// Title says in a sentence what holds.
	Title string `json:"title"`
	// Why it holds, and Fix what to do about a refusal; both are Markdown.
	Why string `json:"why"`
	Fix string `json:"fix"`
	// Targets are the kinds that it judges.
	Targets []Target `json:"targets"`
	// Check is a CEL expression: the list of places that break the rule, each a map with
	// "at", the path of the field, and "is", what is there, and where the rule measures "n",
	// the amount. $object, $podSpec and the like stand for the object that is judged.
	Check string `json:"check"`
	// Allowed is a CEL expression: what is allowed, as the end of a sentence.
	Allowed string `json:"allowed"`
	// Worse is how what was there before is told from what is new.
	Worse Worse `json:"worse,omitempty"`
	// Modes that it has in each profile.
	Modes Modes `json:"modes"`
	// Fixable is that demarc fix writes it into a file.
	Fixable bool `json:"fixable,omitempty"`
	// Limits and Domains that the examples are judged with; Domains are those of a team.
	Limits  v1alpha1.GuardrailLimits `json:"limits,omitzero"`
	Domains map[string][]string      `json:"domains,omitempty"`
	// Good and Bad are one manifest each, as the page of the rule shows them.
	Good string `json:"good"`
	Bad  string `json:"bad"`
}

// Modes are those of a rule in each profile.
type Modes struct {
	Baseline v1alpha1.GuardrailMode `json:"baseline"`
	Strict   v1alpha1.GuardrailMode `json:"strict"`
}

// Of a profile; an empty one is baseline.
func (m Modes) Of(p v1alpha1.GuardrailProfile) v1alpha1.GuardrailMode {
	if p == v1alpha1.ProfileStrict {
		return m.Strict
	}
	return m.Baseline
}

// Worse says when a place that was broken before is broken anew.
type Worse string

const (
	// WorseChanged is that something else is there that breaks the rule, too.
	WorseChanged Worse = ""
	// WorseMore is that the amount is larger.
	WorseMore Worse = "more"
)

// Example parses one of a rule's manifests.
func Example(text string) (*unstructured.Unstructured, error) {
	objects, err := snapshot.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 {
		return nil, fmt.Errorf("an example is one manifest, and this has %d", len(objects))
	}
	return objects[0], nil
}

// Catalogue are all rules that come with Demarc, in the order of their ids.
func Catalogue() []Rule { return slices.Clone(catalogue()) }

// Find the rule of an id.
func Find(id string) (Rule, bool) {
	i, ok := slices.BinarySearchFunc(catalogue(), id, func(r Rule, id string) int { return strings.Compare(r.ID, id) })
	if !ok {
		return Rule{}, false
	}
	return catalogue()[i], true
}

var catalogue = sync.OnceValue(func() []Rule {
	entries, err := sources.ReadDir("source")
	if err != nil {
		panic(err) // they are compiled in
	}
	all := make([]Rule, 0, len(entries))
	for _, e := range entries {
		text, err := sources.ReadFile("source/" + e.Name())
		if err != nil {
			panic(err)
		}
		r, err := ParseRule(text)
		if err != nil {
			panic(fmt.Sprintf("guardrail: source/%s: %v", e.Name(), err)) // a test reads them all
		}
		all = append(all, r)
	}
	// Files are in another order: - comes before the . of an ending.
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return all
})

// ParseRule reads a rule; a field that there is not is an error.
func ParseRule(text []byte) (Rule, error) {
	var r Rule
	if err := yaml.UnmarshalStrict(text, &r); err != nil {
		return Rule{}, err
	}
	if r.ID == "" || r.Check == "" || r.Allowed == "" {
		return Rule{}, fmt.Errorf("rule %q: id, check and allowed have to be set", r.ID)
	}
	for _, t := range r.Targets {
		if _, ok := Targets[t]; !ok {
			return Rule{}, fmt.Errorf("rule %s: there is no target %q", r.ID, t)
		}
	}
	return r, nil
}
