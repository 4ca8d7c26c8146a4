// Package check judges objects by the guardrails before they meet a cluster, and says what
// is to be said of them: which would be refused, by which rule, in which line.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
)

// Manifest is one object that is to be judged.
type Manifest struct {
	Object admitted.Object
	// Find says where a field is written: the file, and the line, 0 where that is not known.
	Find func(path string) (file string, line int)
	// From is what it was rendered from; empty where it was written as it is.
	From string
}

// Question is what is asked.
type Question struct {
	Manifests []Manifest
	// Old are the objects that these take the places of; none is that all are new.
	Old []Manifest
	// Team whose objects they are that name no namespace. Empty: a team without settings
	// of its own.
	Team     string
	At       time.Time
	Rules    *Rules
	Settings Settings
}

// Answer is what is to be said.
type Answer struct {
	Findings []finding.Finding `json:"findings"`
	// Judged are how many objects were looked at, and Rules by how many rules.
	Judged int `json:"judged"`
	Rules  int `json:"rules"`
	// Teams whose settings held, in the order of their names; a team that nobody named is
	// left out.
	Teams []string `json:"teams"`
	// Anybody is that objects were judged as those of a team without settings of its own.
	Anybody bool `json:"anybody,omitempty"`
	// Unjudged is what could not be judged, and why.
	Unjudged []Unjudged `json:"unjudged,omitempty"`
	// Elsewhere are how many objects are in no team's namespace, where no guardrail holds.
	Elsewhere int `json:"elsewhere,omitempty"`
}

// Unjudged is an object of which nothing can be said.
type Unjudged struct {
	Object finding.Object `json:"object"`
	Place  finding.Place  `json:"place"`
	Why    string         `json:"why"`
}

// Refused reports whether something would be refused.
func (a Answer) Refused() bool { return finding.Count(a.Findings)[finding.Error] > 0 }

// anybody stands for the name of a team that nobody named. No Tenant may have it.
const anybody = "nobody"

// Check judges all manifests.
func Check(q Question) (Answer, error) {
	c := &check{Question: q, old: map[key]admitted.Object{}, teams: map[string]bool{}}
	world, err := c.world()
	if err != nil {
		return Answer{}, err
	}
	c.meets = world
	for _, m := range q.Old {
		c.old[c.keyOf(m.Object)] = m.Object
	}
	var errs []error
	for _, m := range q.Manifests {
		errs = append(errs, c.judge(m))
	}
	c.out.Rules = len(q.Rules.policies.All())
	c.out.Teams = c.named()
	sortByPlace(c.out.Findings)
	return c.out, errors.Join(errs...)
}

type check struct {
	Question
	meets *offline.World
	old   map[key]admitted.Object
	teams map[string]bool
	out   Answer
}

// key tells objects apart.
type key struct {
	schema.GroupKind
	namespace, name string
}

func (c *check) keyOf(o admitted.Object) key {
	m := admitted.Meta(o)
	if m == nil {
		return key{}
	}
	return key{o.GetObjectKind().GroupVersionKind().GroupKind(), c.namespace(o), m.GetName()}
}

// namespace that an object is in, or would be; empty for what is in none.
func (c *check) namespace(o admitted.Object) string {
	m := admitted.Meta(o)
	switch {
	case m == nil, c.Settings.kind(o).Cluster:
		return ""
	case m.GetNamespace() != "":
		return m.GetNamespace()
	default:
		return v1alpha1.NamespaceOf(cmp.Or(c.Team, anybody))
	}
}

func (c *check) judge(m Manifest) error {
	gvk := m.Object.GetObjectKind().GroupVersionKind()
	if !admitted.Served(gvk) || admitted.Meta(m.Object) == nil {
		c.unjudged(m, fmt.Sprintf("Kubernetes 1.37 does not serve %s in %s", gvk.Kind, gvk.GroupVersion()))
		return nil
	}
	namespace := c.namespace(m.Object)
	if team := c.meets.Team(namespace); namespace != "" && team == "" {
		c.out.Elsewhere++
		return nil
	} else if team != "" {
		c.teams[team] = true
	}
	c.out.Judged++
	request := offline.Request{Operation: offline.Create, Object: m.Object, Namespace: namespace, Resource: c.Settings.kind(m.Object).Resource}
	if old := c.old[c.keyOf(m.Object)]; old != nil {
		request.Operation, request.Old = offline.Update, old
	}
	if err := c.ask(m, request, ""); err != nil {
		return err
	}
	if pod := podOf(m.Object); pod != nil {
		return c.ask(m, offline.Request{Operation: offline.Create, Object: pod.object, Namespace: namespace}, pod.path)
	}
	return nil
}

// ask asks the rules; path is where the object stands in the manifest, where it is a part
// of it.
func (c *check) ask(m Manifest, r offline.Request, path string) error {
	review, err := c.Rules.policies.Review(r, c.meets)
	if err != nil {
		return fmt.Errorf("judge %s: %w", objectOf(m.Object, r.Namespace), err)
	}
	for _, v := range review.Verdicts {
		c.out.Findings = append(c.out.Findings, c.found(m, r, v, path))
	}
	return nil
}

func (c *check) unjudged(m Manifest, why string) {
	c.out.Unjudged = append(c.out.Unjudged, Unjudged{objectOf(m.Object, ""), m.place(""), why})
}

// named are the teams that somebody named.
func (c *check) named() []string {
	list := []string{}
	for team := range c.teams {
		if team == anybody {
			c.out.Anybody = true
			continue
		}
		list = append(list, team)
	}
	slices.Sort(list)
	return list
}

func objectOf(o admitted.Object, namespace string) finding.Object {
	gvk := o.GetObjectKind().GroupVersionKind()
	out := finding.Object{Group: gvk.Group, Kind: gvk.Kind, Namespace: namespace}
	if m := admitted.Meta(o); m != nil {
		out.Name, out.Namespace = nameOf(m), cmp.Or(m.GetNamespace(), namespace)
	}
	if out.Namespace == v1alpha1.NamespaceOf(anybody) {
		out.Namespace = ""
	}
	return out
}

func nameOf(m metav1.Object) string {
	if m.GetName() == "" {
		return m.GetGenerateName() + "…"
	}
	return m.GetName()
}
