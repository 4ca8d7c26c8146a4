package triage

import "regexp"

// outcomes are what becomes of a probe or a hook, by the words of who tells. What the container
// printed stands among these words, may be a secret and is its team's: claims, which all teams
// read, repeat the message of a finding. So it is told in words of ours, and theirs are evidence.
var outcomes = []struct {
	words *regexp.Regexp
	says  string
}{
	{regexp.MustCompile(`HTTP probe failed with statuscode: ([1-5]\d\d)\b`), "it answers with HTTP status $1"},
	{regexp.MustCompile(`deadline exceeded|Client\.Timeout|i/o timeout|timed out`), "it does not answer in time"},
	{regexp.MustCompile(`connection refused`), "it refuses the connection"},
	{regexp.MustCompile(`connection reset|\bEOF\b`), "it breaks off the connection"},
	{regexp.MustCompile(`no such host|no route to host`), "it is not reached"},
	{regexp.MustCompile(`x509: |tls: `), "its certificate or protocol is not taken"},
	{regexp.MustCompile(`responded with "(NOT_SERVING|SERVICE_UNKNOWN|UNKNOWN)"`), "it answers with $1"},
	{regexp.MustCompile(`executable file not found|no such file or directory`), "its command is not there"},
	{regexp.MustCompile(`permission denied`), "its command may not be run"},
	{regexp.MustCompile(`exit(?:ed with|ed with code| code:?| status) (\d{1,3})\b`), "its command ends with exit code $1"},
}

// outcome of a probe or a hook, as the end of a sentence; empty where its words are of none that
// is known.
func outcome(message string) string {
	for _, o := range outcomes {
		if at := o.words.FindStringSubmatchIndex(message); at != nil {
			return ": " + string(o.words.ExpandString(nil, o.says, message, at))
		}
	}
	return ""
}
