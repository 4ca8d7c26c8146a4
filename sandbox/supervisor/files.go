// Package supervisor runs the components of one sandbox: it starts them in order, watches them, restarts those that die, and
// writes down what happened. It is steered by files alone: one per component says what is wanted, and one says what is.
// A caller writes the former, wakes the supervisor with a signal, and reads the latter.
package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/process"
)

// Mark is the variable that every component's environment carries, with the sandbox's folder as its value.
const Mark = "DEMARC_SANDBOX_DIR"

// Desired is what a caller wants of one component.
type Desired struct {
	Component component.Component `json:"component"`
	// Stopped keeps it down until somebody starts it again.
	Stopped bool `json:"stopped,omitempty"`
}

// Phase is where a component stands.
type Phase string

// The phases of a component.
const (
	Waiting  Phase = "waiting"  // for the components it comes after
	Starting Phase = "starting" // runs, not ready yet
	Ready    Phase = "ready"    // was ready once since it started
	Backoff  Phase = "backoff"  // died, is started again soon
	Stopped  Phase = "stopped"  // by the user's wish
)

// Status is what is known of one component.
type Status struct {
	Name     string           `json:"name"`
	Phase    Phase            `json:"phase"`
	Process  process.ID       `json:"process"`
	Since    time.Time        `json:"since"`
	Restarts int              `json:"restarts"`
	LastExit *Exit            `json:"lastExit,omitempty"`
	Ports    []component.Port `json:"ports,omitempty"`
	// Note says what it waits for, or why it is not ready.
	Note string `json:"note,omitempty"`
	// Hash is that of the description that runs.
	Hash string `json:"hash"`
}

// Exit is how a component ended.
type Exit struct {
	Time   time.Time `json:"time"`
	Reason string    `json:"reason"`
	// Log are the last lines that it wrote.
	Log []string `json:"log,omitempty"`
}

// State is the file that the supervisor writes.
type State struct {
	Supervisor process.ID `json:"supervisor"`
	Components []Status   `json:"components"`
}

// Find returns the status of a component.
func (s State) Find(name string) (Status, bool) {
	for _, c := range s.Components {
		if c.Name == name {
			return c, true
		}
	}
	return Status{}, false
}

// ReadState reads what the supervisor wrote last. Without one, the state is empty.
func ReadState(dir string) (State, error) {
	var s State
	err := readJSON(filepath.Join(dir, "state.json"), &s)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	return s, err
}

// WriteDesired notes what is wanted of a component.
func WriteDesired(dir string, d Desired) error {
	folder := filepath.Join(dir, "components")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return writeJSON(filepath.Join(folder, d.Component.Name+".json"), d)
}

// ReadDesired reads what is wanted of one component.
func ReadDesired(dir, name string) (Desired, error) {
	var d Desired
	err := readJSON(filepath.Join(dir, "components", name+".json"), &d)
	if errors.Is(err, os.ErrNotExist) {
		return d, fmt.Errorf("no component is named %q", name)
	}
	return d, err
}

// Remove forgets a component; the supervisor then ends it.
func Remove(dir, name string) error {
	err := os.Remove(filepath.Join(dir, "components", name+".json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func readAllDesired(dir string) (map[string]Desired, error) {
	files, err := filepath.Glob(filepath.Join(dir, "components", "*.json"))
	if err != nil {
		return nil, err
	}
	wanted := make(map[string]Desired, len(files))
	for _, file := range files {
		var d Desired
		if err := readJSON(file, &d); err != nil {
			return nil, err
		}
		wanted[strings.TrimSuffix(filepath.Base(file), ".json")] = d
	}
	return wanted, nil
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// writeJSON writes aside and renames, so that a reader never sees half a file.
func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	aside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	_, err = aside.Write(append(text, '\n'))
	if err = errors.Join(err, aside.Close()); err != nil {
		return errors.Join(err, os.Remove(aside.Name()))
	}
	return os.Rename(aside.Name(), path)
}
