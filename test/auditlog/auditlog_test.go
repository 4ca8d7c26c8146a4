package auditlog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a killed server left half written does not hide the event after it, and files are read in their order.
func TestReadGoesOverWhatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "audit"), 0o700); err != nil {
		t.Fatal(err)
	}
	event := func(verb string) string {
		return `{"kind":"Event","stage":"ResponseComplete","verb":"` + verb + `","requestURI":"/","responseStatus":{"code":200},"stageTimestamp":"2026-01-01T00:00:01Z"}`
	}
	for name, text := range map[string]string{
		"audit-2026-01-01T00-00-00.000.log": event("create") + "\n",
		"audit.log":                         event("get")[:40] + event("patch") + "\n" + event("delete") + "\n" + event("update")[:50],
	} {
		if err := os.WriteFile(filepath.Join(dir, "audit", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := Read(dir, from, from.Add(time.Minute), func(r Request) { got = append(got, r.Verb) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"create", "patch", "delete"}, got); diff != "" {
		t.Error(diff)
	}
	if err := Read(dir, from.Add(time.Minute), from.Add(time.Hour), func(r Request) { t.Errorf("%s is from another time", r.Verb) }); err != nil {
		t.Error(err)
	}
}

func TestChanges(t *testing.T) {
	r := Request{Stage: "ResponseComplete", Verb: "patch", RequestURI: "/x"}
	r.ResponseStatus.Code = 200
	if !r.Changes() {
		t.Error("a patch that was answered changes nothing")
	}
	for name, spoil := range map[string]func(*Request){
		"refused": func(r *Request) { r.ResponseStatus.Code = 409 }, "dry run": func(r *Request) { r.RequestURI = "/x?dryRun=All" },
		"only begun": func(r *Request) { r.Stage = "ResponseStarted" }, "a read": func(r *Request) { r.Verb = "get" },
		"a question": func(r *Request) { r.Verb, r.ObjectRef.Resource = "create", "subjectaccessreviews" },
	} {
		other := r
		if spoil(&other); other.Changes() {
			t.Errorf("%s: it counts as a change", name)
		}
	}
}
