package drift

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/snapshot"
)

// Write is a request of an audit log that changed an object.
type Write struct {
	At time.Time
	// User who asked, and As whom they acted as.
	User, As string
	// Manager under which the API server kept it, and whether as an apply.
	Manager string
	Apply   bool
	// Agent is the program, by its own word; Made and Gone say that the object was created or
	// deleted.
	Agent      string
	Made, Gone bool

	Group, Resource, Subresource, Namespace, Name string
	// Body of the request, nil where the log keeps none.
	Body any
}

func (w Write) entry() entry {
	e := entry{}
	e.Manager, e.Subresource, e.Operation = w.Manager, w.Subresource, metav1.ManagedFieldsOperationUpdate
	if w.Apply {
		e.Operation = metav1.ManagedFieldsOperationApply
	}
	return e
}

// auditEvent is what is read of an event of audit.k8s.io.
type auditEvent struct {
	Kind, Stage, Verb, RequestURI, UserAgent string
	User, ImpersonatedUser                   struct{ Username string }
	ObjectRef                                struct{ APIGroup, Resource, Subresource, Namespace, Name string }
	ResponseStatus                           struct{ Code int }
	RequestObject                            any
	RequestReceivedTimestamp                 time.Time
}

// longestEvent is how many bytes one event may have; what is longer is passed over.
const longestEvent = 4 << 20

// ReadAudit reads the changes out of an audit log, one event of audit.k8s.io as JSON in each
// line, those in the namespaces and of what is in none. The error says in which line there
// is no event; a last line that was not written to its end is none.
func ReadAudit(from io.Reader, namespaces []string) (writes []Write, err error) {
	lines := bufio.NewReaderSize(from, 1<<16)
	for number := 1; ; number++ {
		line, whole, err := nextLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		var e auditEvent
		switch broken := json.Unmarshal(line, &e) != nil || e.Kind != "Event"; {
		case !whole, len(bytes.TrimSpace(line)) == 0, broken && err != nil:
		case broken:
			return nil, fmt.Errorf("line %d is no event of an audit log, which has one of audit.k8s.io as JSON in each line", number)
		default:
			if w, ok := e.write(); ok && (w.Namespace == "" || slices.Contains(namespaces, w.Namespace)) {
				writes = append(writes, w)
			}
		}
		if err != nil {
			slices.SortStableFunc(writes, func(a, b Write) int { return a.At.Compare(b.At) })
			return writes, nil
		}
	}
}

// nextLine reads a line; whole is false for one that is longer than any event.
func nextLine(from *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := from.ReadSlice('\n')
		if len(line)+len(part) <= longestEvent {
			line, whole = append(line, part...), true
		} else {
			line, whole = line[:0], false
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = from.ReadSlice('\n')
			}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// write is the change that an event tells of; ok is false where nothing was changed.
func (e auditEvent) write() (w Write, ok bool) {
	if e.Stage != "ResponseComplete" || e.ResponseStatus.Code/100 != 2 || strings.Contains(e.RequestURI, "dryRun=") ||
		!slices.Contains([]string{"create", "update", "patch", "apply", "delete"}, e.Verb) || e.ObjectRef.Subresource == "status" {
		return w, false
	}
	w = Write{At: e.RequestReceivedTimestamp, User: e.User.Username, As: e.ImpersonatedUser.Username, Group: e.ObjectRef.APIGroup,
		Resource: e.ObjectRef.Resource, Subresource: e.ObjectRef.Subresource, Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name, Body: e.RequestObject}
	w.Made, w.Gone = e.ResponseStatus.Code == 201 && w.Subresource == "", e.Verb == "delete"
	w.Agent, _, _ = strings.Cut(e.UserAgent, "/")
	at, _ := url.Parse(e.RequestURI)
	if at != nil {
		w.Manager = at.Query().Get("fieldManager")
	}
	if w.Manager == "" { // the API server's own rule
		w.Manager = w.Agent
	}
	w.Apply = at != nil && at.Query().Has("force") || e.Verb == "apply"
	return w, true
}

// of says whether a write was of an object.
func (w Write) of(o snapshot.Object) bool {
	kind := admitted.KindOf(o.GroupVersionKind())
	return w.Group == kind.Group && w.Resource == kind.Resource.Resource && w.Namespace == o.GetNamespace() && w.Name == o.GetName()
}

// slack is how far the time of a managed field, which is of whole seconds and noted at the
// end of a request, may lie from when the request came.
const slack = 3 * time.Second

// written finds the write by which a manager came to hold a field: of several in its time the
// last whose body speaks of it.
func (w *world) written(o snapshot.Object, p fieldpath.Path, e entry) (found Write, ok bool) {
	for _, write := range w.q.Writes {
		if !write.of(o) || write.Gone || write.Manager != e.Manager || write.Subresource != e.Subresource || !speaks(write.Body, names(p)) {
			continue
		}
		if e.Time != nil && write.At.After(e.Time.Add(slack)) {
			continue
		}
		if !ok || write.At.After(found.At) {
			found, ok = write, true
		}
	}
	return found, ok
}

// machine says that a write is a controller's own, by who the API server knew it as: a manager is what
// the client calls itself. The accounts of the namespaces that are asked about are their teams'.
func (w *world) machine(write Write) bool {
	account, isAccount := strings.CutPrefix(write.User, "system:serviceaccount:")
	namespace, _, _ := strings.Cut(account, ":")
	return automatic(write.Manager) && (write.User == "" || strings.HasPrefix(write.User, "system:") && write.As == "" && (!isAccount || !w.in(namespace)))
}

// lastWrite is the last write of a person whose body speaks of a field, or may.
func (w *world) lastWrite(o snapshot.Object, p fieldpath.Path, after *time.Time) (found Write, ok bool) {
	for _, write := range w.q.Writes {
		if !write.of(o) || write.Gone || w.machine(write) || write.Manager == argoManager || after != nil && write.At.Before(after.Truncate(time.Second)) {
			continue
		}
		if update := whole(write.Body); !update && !speaks(write.Body, names(p)) {
			continue
		}
		if !ok || write.At.After(found.At) {
			found, ok = write, true
		}
	}
	return found, ok
}

// whole says whether a body is a whole object: then what is not in it was taken away.
func whole(body any) bool {
	object, _ := body.(map[string]any)
	_, metadata := object["metadata"].(map[string]any)
	return metadata && object["apiVersion"] != nil
}

// speaks says whether the body of a request has a field of these names; one that the log does
// not keep, and a list of single changes, may.
func speaks(body any, path []string) bool {
	switch b := body.(type) {
	case nil:
		return true
	case []any:
		return len(path) == 0 || slices.ContainsFunc(b, func(item any) bool {
			fields, _ := item.(map[string]any)
			return fields["op"] != nil || speaks(item, path)
		})
	case map[string]any:
		if len(path) == 0 {
			return true
		}
		below, there := b[path[0]]
		if text, ok := b["stringData"]; ok && path[0] == "data" { // of a Secret
			below, there = text, true
		}
		return there && (below == nil || speaks(below, path[1:]))
	default:
		return len(path) == 0
	}
}
