package triage

import (
	"slices"
	"strings"

	"demarc.dev/demarc/internal/finding"
)

// Signature is one kind of finding. Who acts is not in it: it names the failure domain, and
// the ownership contract says who is paged for that.
type Signature struct {
	// ID is API: none is ever given another meaning.
	ID, Title string
	// Means says what it is, and Told how it is told apart from what looks the same.
	Means, Told string
	Severity    finding.Severity
	// Symptom says that it follows from something, and is a root only where that is not seen.
	Symptom bool
	// Stops says that it keeps pods from running or from being ready, so that what their workload
	// lacks follows from it. What is wrong with a workload and lets it run explains nothing.
	Stops bool
	// Domain of the contract that it lies in, and what whoever is paged for it does; Command
	// shows more, or does it. {ns}, {name}, {pod} and the like are filled in.
	Domain, Next, Command string
	// And is a second domain where it lies on the boundary, and what that side does.
	And, AndNext string
	// Promoted is what the platform does where several teams meet it at one thing they share.
	Promoted string
}

// Catalogue is all that is known, by id; docs/findings has a page for each.
var Catalogue = slices.Concat(ofWorkloads, ofImages, ofPods, ofNetwork, ofPlacing, ofQuota, ofVolumes, ofDelivery, ofPlatform)

// logs, events and describe are the commands that show more of a pod.
const (
	logs     = "kubectl logs {pod} -n {ns} -c {container} --previous"
	describe = "kubectl describe pod {pod} -n {ns}"
)

// index of the catalogue by id.
var index = func() map[string]Signature {
	m := map[string]Signature{}
	for _, s := range Catalogue {
		m[s.ID] = s
	}
	return m
}()

// Of is a signature by its id; the zero one where there is none.
func Of(id string) Signature { return index[id] }

// Docs is the page of a finding.
func Docs(id string) string { return "docs/findings/" + strings.ToUpper(id) + ".md" }
