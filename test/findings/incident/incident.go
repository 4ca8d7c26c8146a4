// Package incident reads the files that say how a trouble is brought about on a cluster, and
// how its near miss is: manifests and a few verbs.
package incident

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Incident is one file of incidents/, named by the signature that it is for.
type Incident struct {
	// ID of the signature.
	ID string `json:"-"`
	// Says what is wrong, and Miss what is so nearly but not; sentences.
	Says string `json:"says"`
	Miss string `json:"near miss"`
	// Given is done first on both sides.
	Given []Step `json:"given"`
	// Wrong brings the trouble about, and Near what is nearly so.
	Wrong Side `json:"trouble"`
	Near  Side `json:"near"`
}

// Side is one of the two: a team's space, and what is done in it.
type Side struct {
	// Tenant is the spec of the team's Tenant; empty is one with a roomy budget.
	Tenant string `json:"tenant"`
	// Read is how long after it the objects are read; zero is a quarter of an hour.
	Read metav1.Duration `json:"read"`
	// Finds are what must be found besides; a near miss that names nothing finds nothing.
	Finds []string `json:"finds"`
	// Keep names what belongs to the case too: namespaces, "nodes" for all nodes, or
	// resource/name for an object outside of namespaces.
	Keep []string `json:"keep"`
	// Unread are resources that whoever asks may not list.
	Unread []Unread `json:"unread"`
	Steps  []Step   `json:"steps"`
	// After puts back what is not taken away with the objects that were applied.
	After []Step `json:"after"`
}

// Unread is a resource that was not read.
type Unread struct {
	Kind     string `json:"kind"`
	Resource string `json:"resource"`
	Verb     string `json:"verb"`
}

// Step is one deed; one of its fields is set.
type Step struct {
	// Apply manifests, as an administrator; what has no namespace goes into the team's. A
	// status in one of them is written too.
	Apply string `json:"apply"`
	// Patch changes objects by a merge patch.
	Patch *Patch `json:"patch"`
	// Delete objects without waiting until they are gone.
	Delete string `json:"delete"`
	// Kubelet writes what a kubelet writes of pods.
	Kubelet *Kubelet `json:"kubelet"`
	// Event is written about objects.
	Event *Event `json:"event"`
	// Until waits until an object says something.
	Until *Until `json:"until"`
	// Refused waits until a policy or a webhook that was just made is in force.
	Refused *Refused `json:"refused"`
	// Commit writes files into the repository of the side, whose URL is $(repo).
	Commit map[string]string `json:"commit"`
	// Stop and Start a component of the sandbox; what was stopped is started at the end.
	Stop  string `json:"stop"`
	Start string `json:"start"`
}

// Patch of objects.
type Patch struct {
	Of string `json:"of"`
	// Status says that it is the status that is written.
	Status bool `json:"status"`
	With   any  `json:"with"`
}

// Event as a component writes one.
type Event struct {
	Of      string `json:"of"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// Node is that on which the pods run of which it is written; empty is any.
	Node string `json:"node"`
	// From is the component; empty is the kubelet.
	From string `json:"from"`
	// Ago is how long before the reading; zero is when it is written.
	Ago metav1.Duration `json:"ago"`
}

// Refused is what must not be done any more, with words of the refusal.
type Refused struct {
	// Of are objects that may not be changed; empty is that no pod may be made.
	Of   string `json:"of"`
	Says string `json:"says"`
}

// Until an object holds a text.
type Until struct {
	Of   string `json:"of"`
	Says string `json:"says"`
	// Gone waits until there is none.
	Gone bool `json:"gone"`
	// Within is how long it may take; zero is a minute.
	Within metav1.Duration `json:"within"`
	// Count is how many objects must say it; zero is all, and at least one.
	Count int `json:"count"`
}

const quarter = 15 * time.Minute

var id = regexp.MustCompile(`^DM\d{3}$`)

// Read reads the incidents of a folder, by name.
func Read(from fs.FS) ([]Incident, error) {
	names, err := fs.Glob(from, "*.yaml")
	if err != nil {
		return nil, err
	}
	var out []Incident
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		one, err := parse(text)
		if one.ID = strings.TrimSuffix(path.Base(name), ".yaml"); err == nil && !id.MatchString(one.ID) {
			err = fmt.Errorf("%s is no id of a signature", one.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, one)
	}
	return out, nil
}

func parse(text []byte) (one Incident, err error) {
	if err := yaml.UnmarshalStrict(bytes.TrimSpace(text), &one); err != nil {
		return one, err
	}
	if one.Says == "" || one.Miss == "" {
		return one, fmt.Errorf("it does not say what is wrong, and what its near miss is")
	}
	for _, side := range []*Side{&one.Wrong, &one.Near} {
		if side.Read.Duration == 0 {
			side.Read.Duration = quarter
		}
		if len(side.Steps) == 0 && len(one.Given) == 0 {
			return one, fmt.Errorf("nothing is done on one of its sides")
		}
		for i, s := range append(append([]Step{}, one.Given...), side.Steps...) {
			if n := s.verbs(); n != 1 {
				return one, fmt.Errorf("step %d has %d verbs, want one", i+1, n)
			}
		}
	}
	return one, nil
}

func (s Step) verbs() (n int) {
	for _, is := range []bool{s.Apply != "", s.Patch != nil, s.Delete != "", s.Kubelet != nil, s.Event != nil, s.Until != nil, s.Commit != nil, s.Refused != nil, s.Stop != "", s.Start != ""} {
		if is {
			n++
		}
	}
	return n
}
