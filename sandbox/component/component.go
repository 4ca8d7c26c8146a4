// Package component describes the processes of a sandbox as data: what to run, with which arguments, after what, and how to
// tell that it is ready. It does no I/O; the supervisor package runs what is described here.
package component

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Component is one supervised process.
type Component struct {
	// Name is unique in a sandbox and names the log file.
	Name string `json:"name"`
	// Binary is the absolute path of the program.
	Binary string `json:"binary"`
	// Args are its arguments, the program's name not among them.
	Args []string `json:"args,omitempty"`
	// Env is added to the small environment that every component gets.
	Env map[string]string `json:"env,omitempty"`
	// Dir is the working folder; empty means the sandbox's own folder.
	Dir string `json:"dir,omitempty"`
	// Ports are the loopback ports it listens on.
	Ports []Port `json:"ports,omitempty"`
	// Files must exist before it starts.
	Files []string `json:"files,omitempty"`
	// After names the components that must be ready before it starts.
	After []string `json:"after,omitempty"`
	// Ready tells when it serves. The zero Probe means: as soon as it runs.
	Ready Probe `json:"ready,omitzero"`
}

// Port is a named loopback port.
type Port struct {
	Name   string `json:"name"`
	Number int    `json:"number"`
}

// Probe asks a component whether it serves. At most one of HTTP and TCP is set.
type Probe struct {
	// HTTP is a URL that answers 200 when the component is ready.
	HTTP string `json:"http,omitempty"`
	// CAFile verifies an https URL.
	CAFile string `json:"caFile,omitempty"`
	// TCP is a host:port that accepts a connection when the component is ready.
	TCP string `json:"tcp,omitempty"`
	// Timeout is how long a caller waits for a first yes; zero means a minute.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// Wait is how long a caller waits for the first yes.
func (p Probe) Wait() time.Duration {
	if p.Timeout == 0 {
		return time.Minute
	}
	return p.Timeout
}

// Hash identifies a component's description: a process is restarted when it changes.
func (c Component) Hash() string {
	text, err := json.Marshal(c)
	if err != nil {
		// Only strings, numbers, lists and maps of strings: cannot fail.
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
