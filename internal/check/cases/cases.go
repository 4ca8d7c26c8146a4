// Package cases holds users' own policies to what their tests expect of them: which
// requests they refuse, and which they let pass.
package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	strict "sigs.k8s.io/json"
)

// Case is one request, and what the policies are to say of it.
type Case struct {
	// File and Line where it stands.
	File string `json:"-"`
	Line int    `json:"-"`
	// Name says in a sentence what is to be so.
	Name string `json:"name"`
	// At is the time of the request. Absent: now.
	At *metav1.Time `json:"at,omitempty"`
	// Operation is CREATE, UPDATE or DELETE. Absent: UPDATE where there is an old object.
	Operation string `json:"operation,omitempty"`
	// Subresource such as scale.
	Subresource string `json:"subresource,omitempty"`
	// Namespace in which the objects are that name none.
	Namespace Namespace `json:"namespace,omitzero"`
	User      User      `json:"user,omitzero"`
	// Object that is to be, and the one that is stored.
	Object json.RawMessage `json:"object,omitempty"`
	Old    json.RawMessage `json:"old,omitempty"`
	// Given is what else there is: parameters, namespaces, LimitRanges.
	Given []json.RawMessage `json:"given,omitempty"`
	// Expect is what policies say, by their names. What is not named lets it pass.
	Expect map[string]Expected `json:"expect,omitempty"`
}

// Namespace of the request.
type Namespace struct {
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// User who asks.
type User struct {
	Name   string   `json:"name,omitempty"`
	Groups []string `json:"groups,omitempty"`
}

// Expected is what one policy says.
type Expected struct {
	Verdict Word `json:"verdict"`
	// Message that it gives, or a part of it.
	Message string `json:"message,omitempty"`
}

// UnmarshalJSON takes a word alone, too.
func (e *Expected) UnmarshalJSON(raw []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(raw)), `"`) {
		return json.Unmarshal(raw, &e.Verdict)
	}
	type plain Expected
	wrong, err := strict.UnmarshalStrict(raw, (*plain)(e))
	return errors.Join(append(wrong, err)...)
}

// Word is what a policy says in one.
type Word string

// Words. A policy with the action Audit notes what it breaks.
const (
	Refused Word = "refused"
	Warned  Word = "warned"
	Noted   Word = "noted"
	Allowed Word = "allowed"
	Unknown Word = "unknown"
)

// Parse reads the cases of a file, one of each document. All that is wrong is in the error.
func Parse(file, text string) ([]Case, error) {
	var list []Case
	var errs []error
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var root yaml.Node
		err := decoder.Decode(&root)
		if errors.Is(err, io.EOF) {
			return list, errors.Join(errs...)
		}
		if err != nil {
			return list, errors.Join(append(errs, fmt.Errorf("%s: this is no YAML: %w", file, err))...)
		}
		if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
			continue
		}
		c, err := read(root.Content[0])
		c.File, c.Line = file, root.Content[0].Line
		if err == nil {
			err = c.sound()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", file, c.Line, err))
			continue
		}
		list = append(list, c)
	}
}

// read decodes a case; a field that there is not is an error.
func read(node *yaml.Node) (c Case, err error) {
	var tree any
	if err := node.Decode(&tree); err != nil {
		return c, err
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		return c, err
	}
	wrong, err := strict.UnmarshalStrict(raw, &c)
	return c, errors.Join(append(wrong, err)...)
}

// sound reports what cannot be asked.
func (c *Case) sound() error {
	if c.Operation == "" {
		c.Operation = "CREATE"
		if c.Old != nil {
			c.Operation = "UPDATE"
		}
	}
	switch {
	case c.Name == "":
		return errors.New("a case has a name: a sentence that says what is to be so")
	case c.Operation != "CREATE" && c.Operation != "UPDATE" && c.Operation != "DELETE":
		return fmt.Errorf("operation is CREATE, UPDATE or DELETE, not %q", c.Operation)
	case c.Object == nil && c.Operation != "DELETE":
		return errors.New("object is missing: what is to be")
	case c.Old == nil && c.Operation != "CREATE":
		return fmt.Errorf("old is missing: what is stored, of which %s is asked", c.Operation)
	}
	for name, e := range c.Expect {
		switch e.Verdict {
		case Refused, Warned, Noted, Allowed, Unknown:
		default:
			return fmt.Errorf("expect of %s: a verdict is refused, warned, noted, allowed or unknown, not %q", name, e.Verdict)
		}
	}
	return nil
}
