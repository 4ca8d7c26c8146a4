package triage

import "regexp"

// What the API server says is told by how it begins: further on it repeats values that whoever
// asks wrote, and these may read like a policy that fails.
const forbidden = `^(?:\S+ "(?:[^"\\]|\\.)*" is forbidden: )`

var (
	quotaExceeded = regexp.MustCompile(forbidden + `exceeded quota: ([^,]+), requested: (.+), used: (.+), limited: (.+)$`)
	quotaFailed   = regexp.MustCompile(forbidden + `failed quota: `)
	podSecurity   = regexp.MustCompile(forbidden + `violates PodSecurity `)
	limited       = regexp.MustCompile(forbidden + `\[?(?:(?:minimum|maximum) \S+ usage per |\S+ max limit to request ratio per )`)
	policyDenied  = regexp.MustCompile(forbidden + `ValidatingAdmissionPolicy '([^']+)'(?: with binding '([^']+)')? denied request: (?s:(.*))`)
	webhookDenied = regexp.MustCompile(forbidden + `?admission webhook "([^"]+)" denied the request`)
	webhookFailed = regexp.MustCompile(`^(?:Internal error occurred: )?failed calling webhook "([^"]+)"`)
	accountGone   = regexp.MustCompile(forbidden + `error looking up service account ([^/]+)/([^:]+):`)
	priorityGone  = regexp.MustCompile(forbidden + `no PriorityClass with name (\S+) was found`)
	// notJudged is what a policy says that could not be evaluated, in place of words of its own.
	notJudged = regexp.MustCompile(`^(?:failed to configure |unrecognized failure policy|expression '(?s:.*)' resulted in error: )`)
	// passedOn is what those put before it who pass it on: Argo CD, kubectl's libraries in it,
	// and the controllers of Kubernetes.
	passedOn = regexp.MustCompile(`^(?:one or more (?:objects failed to apply|synchronization tasks are not valid|synchronization tasks completed unsuccessfully), reason: |` +
		`error when (?:creating|patching|replacing|applying patch|deleting)[^"]*"/[^"]*": |[Ss]erver-?[Ss]ide ?[Aa]pply failed: |failed to (?:create|patch|update|apply) [^":]*: |` +
		`Error creating: |create Pod \S+ in StatefulSet \S+ failed error: |create Claim \S+ for Pod \S+ in StatefulSet \S+ failed error: |error creating [^":]*: )`)
)

// own words of the API server, without those of who passes them on.
func own(message string) string {
	for range 4 { // none of them is passed on through more
		rest := message[len(passedOn.FindString(message)):]
		if rest == message {
			break
		}
		message = rest
	}
	return message
}
