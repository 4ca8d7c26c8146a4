// Package auditlog reads the audit log of a sandbox's API server: who asked for what, when, and how it was answered.
package auditlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/sandbox/install"
)

// OperatorUser is whom the operator acts as.
const OperatorUser = "system:serviceaccount:" + install.Namespace + ":" + install.Operator

// Request is what is read of an audit event.
type Request struct {
	Stage, Verb, RequestURI, UserAgent string
	User                               struct{ Username string }
	ObjectRef                          struct{ Resource, Subresource, Namespace, Name string }
	ResponseStatus                     struct{ Code int }
	// ResponseObject is there where the audit policy asks for it.
	ResponseObject                           *Object
	RequestReceivedTimestamp, StageTimestamp time.Time
}

// Object is what is read of an answer: an object, or a Status where Kind says so.
type Object struct {
	Kind     string
	Metadata metav1.ObjectMeta
	Spec     struct{ Team, Project string }
	// Details are a Status's: what it speaks of.
	Details struct{ UID types.UID }
}

// Answered is true at the end of a request that was not refused.
func (r Request) Answered() bool {
	return r.Stage == "ResponseComplete" && r.ResponseStatus.Code/100 == 2
}

// Changes reports whether a request was let through and stored something.
func (r Request) Changes() bool {
	switch r.Verb {
	case "create", "update", "patch", "delete":
		return r.Answered() && !strings.Contains(r.RequestURI, "dryRun=") && !strings.HasSuffix(r.ObjectRef.Resource, "reviews")
	default:
		return false
	}
}

// Read hands over every event between two moments, of all files of a sandbox's log, the oldest file first.
func Read(dir string, from, to time.Time, each func(Request)) error {
	// What was put aside carries the time in its name; the one being written carries none.
	aside, err := filepath.Glob(filepath.Join(dir, "audit", "audit-*.log"))
	if err != nil {
		return err
	}
	for _, path := range append(aside, filepath.Join(dir, "audit", "audit.log")) {
		if err := readFile(path, from, to, each); err != nil {
			return fmt.Errorf("read audit log %s: %w", path, err)
		}
	}
	return nil
}

func readFile(path string, from, to time.Time, each func(Request)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // what has no end yet is being written
			return nil
		}
		if err != nil {
			return err
		}
		r, err := parse(line)
		if err != nil {
			return err
		}
		if !r.StageTimestamp.Before(from) && r.StageTimestamp.Before(to) {
			each(r)
		}
	}
}

// begin of an event as the API server writes it.
var begin = []byte(`{"kind":"Event",`)

// parse reads one line. A server that was killed may have left half an event, and the next one's first follows on the
// same line.
func parse(line []byte) (r Request, err error) {
	if err = json.Unmarshal(line, &r); err == nil {
		return r, nil
	}
	if i := bytes.LastIndex(line, begin); i > 0 {
		r = Request{}
		return r, json.Unmarshal(line[i:], &r)
	}
	return r, err
}
