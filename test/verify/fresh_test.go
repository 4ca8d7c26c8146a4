package verify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/testenv"
)

// writeFresh keeps the cluster for the tests of internal/verify, without what is another
// at each run.
func writeFresh(t *testing.T) {
	t.Helper()
	set, _ := read(t)
	var b bytes.Buffer
	uids := []string{}
	for _, o := range set.All() {
		if uid := string(o.GetUID()); uid != "" {
			uids = append(uids, uid, "uid-of-"+strings.ToLower(o.GetKind())+"-"+o.GetName())
		}
	}
	for _, o := range set.All() {
		o.SetManagedFields(nil)
		o.SetResourceVersion("")
		o.SetGeneration(0)
		delete(o.Object, "status")
		metadata := o.Object["metadata"].(map[string]any)
		delete(metadata, "creationTimestamp")
		annotations := o.GetAnnotations()
		delete(annotations, v1alpha1.AnnotationApplied)
		o.SetAnnotations(annotations)
		raw, err := json.Marshal(o.Object)
		must(t, err)
		b.WriteString("---\n" + strings.NewReplacer(uids...).Replace(string(raw)) + "\n")
	}
	must(t, os.WriteFile(filepath.Join(testenv.Root(), "internal", "verify", "testdata", "fresh.yaml"), b.Bytes(), 0o644))
}
