package incident

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kubelet is what a kubelet writes of the containers of pods.
type Kubelet struct {
	// Pods is their label selector. They must have a node, unless Unplaced.
	Pods string `json:"pods"`
	// Container is one of them; empty is all. Init says that it is an init container.
	Container string `json:"container"`
	Init      bool   `json:"init"`
	// Waiting, Running and Terminated are its state, and Last how it ended before.
	Waiting    *State `json:"waiting"`
	Running    *State `json:"running"`
	Terminated *State `json:"terminated"`
	Last       *State `json:"last"`
	Restarts   int64  `json:"restarts"`
	Ready      bool   `json:"ready"`
	// Phase, Reason and Message of the pod; the phase follows from the containers where it is empty.
	Phase   string `json:"phase"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// Conditions take the place of those of their type.
	Conditions []Condition `json:"conditions"`
	// Since is how long before the reading the pod became as it is; zero is when it is written.
	Since metav1.Duration `json:"since"`
	// Node is that on which they run, and One says that it is of one of them alone.
	Node string `json:"node"`
	One  bool   `json:"one"`
}

// State of a container.
type State struct {
	Reason   string `json:"reason"`
	Message  string `json:"message"`
	ExitCode int64  `json:"exitCode"`
	// Ago is how long before the reading it began, or ended where it is an end.
	Ago metav1.Duration `json:"ago"`
}

// Condition of a pod.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Played is in whose stead something is written, for the head of a case.
func (i Incident) Played() string {
	var list []string
	add := func(who string) {
		if !slices.Contains(list, who) {
			list = append(list, who)
		}
	}
	for _, s := range slices.Concat(i.Given, i.Wrong.Steps, i.Near.Steps) {
		switch {
		case s.Kubelet != nil:
			add("the kubelet (status of pods)")
		case s.Event != nil && s.Event.From == "":
			add("the kubelet (events)")
		case s.Event != nil:
			add(s.Event.From + " (events)")
		case s.Patch != nil && s.Patch.Status:
			add("the controller of " + strings.FieldsFunc(s.Patch.Of, func(r rune) bool { return r == '/' || r == '?' || r == '@' })[0] + " (status)")
		case strings.Contains(s.Apply, "\nstatus:"):
			add("the controllers of what has a status in the manifests")
		}
	}
	return strings.Join(list, ", ")
}
