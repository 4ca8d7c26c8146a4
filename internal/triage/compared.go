package triage

import "regexp"

// Why Argo CD cannot compare an Application is told by how its message begins, where Argo CD
// alone writes. What follows holds what a team wrote: what its chart fails with, the names of its
// files and branches. Found there, the words of an outage would be the platform's to answer for.
//
//	Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = failed to list refs: …
//	└──────────────────────────── Argo CD's controller ────────────────────────┘└─ code ─┘        └── repo-server, or git ──┘
var repoServerSays = regexp.MustCompile(`^(?:Failed to load target state: )?(?:failed to generate manifest(?: for source \d+ of \d+)?: )?rpc error: code = (\w+) desc = (?s:(.*))$`)

var (
	// unreachable is that the repo-server itself does not answer its client.
	unreachable = regexp.MustCompile(`^(?:connection error: desc = |error reading from server: |name resolver error: |no (?:healthy|children))`)
	// noRepository is what git, helm and the clients of registries begin with, before a file of
	// the repository was read.
	noRepository = regexp.MustCompile(`(?i)^(?:` +
		`failed to (?:list refs: |fetch (?:default|revision|chart|\S+): |checkout (?:FETCH_HEAD|revision|\S+): |initialize (?:git repo|repository|repository resources|oci client): |resolve revision "|get git client for|get (?:commit sha|index|tags): )|` +
		`error (?:creating (?:git|oci) client|setting up git client|fetching chart|getting index|getting helm repo index|extracting chart|testing repository connectivity|acquiring repository lock|logging into oci registry|pulling oci chart|loading repo index|making http request)|` +
		`helm client error|unable to get tags|repository not (?:found|accessible)$|authentication (?:required|failed)|authorization failed|ssh: handshake failed|dial tcp[: ]+[^ /]+|(?:get|head|post) "https?://|unknown error: remote|` +
		"`git (?:fetch|ls-remote|checkout|submodule)|`helm (?:pull|registry login))")
	// noSource is that it is not there, as git and Argo CD say it. These are no way to make
	// something the platform's, so that they may stand anywhere.
	noSource = []string{"app path does not exist", "app path is absolute", "app path outside root", "app path is not a directory", "unable to resolve", "couldn't find remote ref"}
	// cached words are those of an attempt before.
	cached = regexp.MustCompile(`^Manifest generation error(?: \(cached\))?: `)
)

// comparison says which finding a ComparisonError is: the platform's DM415 and DM404 by what the
// message begins with, DM417 where the source lacks what is asked for, else DM401.
func comparison(message string) string {
	m := repoServerSays.FindStringSubmatch(message)
	if m == nil {
		return "DM401"
	}
	code, says := m[1], cached.ReplaceAllString(m[2], "")
	switch {
	case code == "Unavailable" && says == m[2] && unreachable.MatchString(says):
		return "DM415"
	case has(says, noSource...):
		return "DM417"
	case noRepository.MatchString(says):
		return "DM404"
	}
	return "DM401"
}
