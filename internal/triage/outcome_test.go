package triage

import "testing"

// What becomes of a probe or a hook is told in words of our own.
func TestOutcome(t *testing.T) {
	for message, want := range map[string]string{
		"Readiness probe failed: HTTP probe failed with statuscode: 503":                                         ": it answers with HTTP status 503",
		`Liveness probe failed: Get "http://10.1.1.1:80/?token=x": context deadline exceeded`:                    ": it does not answer in time",
		`Startup probe failed: Get "http://10.1.1.1:80/": dial tcp 10.1.1.1:80: connect: connection refused`:     ": it refuses the connection",
		`Readiness probe failed: service unhealthy (responded with "NOT_SERVING")`:                               ": it answers with NOT_SERVING",
		`Exec lifecycle hook ([sh -c x]) failed - error: command 'x' exited with 7: hunter2, message: "hunter2"`: ": its command ends with exit code 7",
		`Readiness probe errored: exec: "pg_isready": executable file not found in $PATH`:                        ": its command is not there",
		"Readiness probe failed: hunter2": "",
		"PostStartHook failed":            "",
		"statuscode: 99999":               "",
	} {
		if got := outcome(message); got != want {
			t.Errorf("%q is told as %q, want %q", message, got, want)
		}
	}
}
