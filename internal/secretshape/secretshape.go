// Package secretshape is the one list of what looks like a secret in a ServiceClaim.
// Claims can be read by every team's people, so such literals are refused. The
// admission policy, its page in the docs and the command line are all made from it.
package secretshape

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"

	"demarc.dev/demarc/api/v1alpha1"
)

// Rule is one row of the list: it judges a variable by its name, or any text of a
// claim by its shape.
type Rule struct {
	// ID names the rule in messages.
	ID string
	// Catches says what it finds, Why why that is a secret.
	Catches, Why string
	// Names is set in a rule about names; such a rule has no pattern.
	Names *Names
	// Needles: each text that Pattern matches holds one of them. To look for them costs
	// the API server a hundredth of the pattern.
	Needles []string
	// Pattern is RE2 and matches anywhere in a text.
	Pattern string
	// Bad is refused and Good passes; each is tried on a real API server.
	Bad, Good []Example
}

// Names judges variables by their names.
type Names struct {
	// Secret names are refused with a literal value.
	Secret string
	// Harmless names pass although they mention a secret.
	Harmless string
	// Reference is a value that is no secret whatever the name: a switch, or where the
	// secret is to be found.
	Reference string
}

// Example is a variable of the environment.
type Example struct{ Name, Value string }

// longestReference bounds what a reference is looked for in; patterns are dear.
const longestReference = 512

// Finding is one text that looks like a secret. It never holds the text.
type Finding struct {
	// Path of the field, such as spec.env[DB_PASSWORD].
	Path string
	// Rule is the ID of the rule that it breaks.
	Rule string
}

// text is one place of a claim where somebody may have put a secret.
type text struct{ path, value string }

// Find lists what looks like a secret in a claim, in order of path.
func Find(c *v1alpha1.ServiceClaim) []Finding {
	var found []Finding
	for _, e := range c.Spec.Env {
		for _, r := range Rules {
			if r.Names != nil && r.Names.match(e.Name, e.Value) {
				found = append(found, Finding{envPath(e.Name), r.ID})
			}
		}
	}
	for _, t := range texts(c) {
		for _, id := range Broken(t.value) {
			found = append(found, Finding{t.path, id})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Path < found[j].Path })
	return found
}

// Broken lists the rules that a text breaks by itself, wherever it stands: none where it
// does not look like a secret.
func Broken(text string) (ids []string) {
	for _, r := range Rules {
		if r.Names == nil && r.match(text) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func envPath(name string) string { return "spec.env[" + name + "]" }

func texts(c *v1alpha1.ServiceClaim) []text {
	all := []text{{"spec.image", c.Spec.Image}}
	if s := c.Spec.Source; s != nil {
		all = append(all, text{"spec.source.repoURL", s.RepoURL}, text{"spec.source.path", s.Path}, text{"spec.source.targetRevision", s.TargetRevision})
	}
	for _, e := range c.Spec.Env {
		all = append(all, text{envPath(e.Name), e.Value})
	}
	all = append(all, road(&c.Spec.ClaimRoad)...)
	for k, v := range c.Labels {
		all = append(all, text{"metadata.labels[" + k + "]", v})
	}
	for k, v := range c.Annotations {
		if k != lastApplied {
			all = append(all, text{"metadata.annotations[" + k + "]", v})
		}
	}
	return all
}

// road are the texts of what the paved road carries.
func road(r *v1alpha1.ClaimRoad) (all []text) {
	for path, words := range map[string][]string{"spec.command": r.Command, "spec.args": r.Args} {
		for i, w := range words {
			all = append(all, text{fmt.Sprintf("%s[%d]", path, i), w})
		}
	}
	for _, f := range r.Files {
		all = append(all, text{"spec.files[" + f.Path + "]", f.Content})
	}
	for k, v := range r.Annotations {
		all = append(all, text{"spec.annotations[" + k + "]", string(v)})
	}
	return all
}

// lastApplied is kubectl's copy of what was applied: what is in it is judged where it stands.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (r Rule) match(value string) bool {
	for _, n := range r.Needles {
		if strings.Contains(value, n) {
			return compiled(r.Pattern).MatchString(value)
		}
	}
	return false
}

func (n *Names) match(name, value string) bool {
	return value != "" && compiled(n.Secret).MatchString(name) && !compiled(n.Harmless).MatchString(name) &&
		(len([]rune(value)) > longestReference || !compiled(n.Reference).MatchString(value))
}

var patterns sync.Map

func compiled(pattern string) *regexp.Regexp {
	if have, ok := patterns.Load(pattern); ok {
		return have.(*regexp.Regexp)
	}
	r := regexp.MustCompile(pattern)
	patterns.Store(pattern, r)
	return r
}
