package house

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.generated() {
			continue
		}
		documented[f.dir()] = documented[f.dir()] || f.syntax.Doc.Text() != ""
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no file has a comment above its package clause: say in a sentence what the package is for", dir)
		}
	}
}

// A package is named after what it holds; these names hold anything.
func TestNoPackageIsADrawer(t *testing.T) {
	for _, f := range goFiles(t) {
		if slices.Contains([]string{"pkg", "util", "utils", "common", "helpers", "types", "misc"}, f.syntax.Name.Name) {
			t.Errorf("%s: package %s: name it after what it holds", f.path, f.syntax.Name.Name)
		}
	}
}

// Sleeping waits too long or not long enough; a watch or a poll with a deadline
// does neither. Where a poll can only pause, it says why here.
func TestNothingSleeps(t *testing.T) {
	allowed := map[string]string{
		"sandbox/process/process.go": "polls with a deadline: nothing tells when a process ends that is not our child",
	}
	for _, f := range goFiles(t) {
		if _, ok := allowed[f.path]; !f.isTest() && !ok && calls(f, "time", "Sleep") {
			t.Errorf("%s sleeps: watch, or poll with a deadline", f.path)
		}
	}
}

// localPath is a path of somebody's machine. The bracket keeps this line from
// matching itself.
var localPath = regexp.MustCompile(`(^|[^\w.>)}-])/(hom[e]|roo[t]|User[s]|wor[k]|mn[t])/\w+`)

func TestNothingNamesSomebodysMachine(t *testing.T) {
	for _, f := range files(t) {
		if f.path == ".git" || strings.HasSuffix(f.path, ".sum") || strings.Contains(f.text, "\x00") {
			continue
		}
		for i, line := range strings.Split(f.text, "\n") {
			if found := localPath.FindString(line); found != "" {
				t.Errorf("%s:%d: names %q, a path of one machine", f.path, i+1, strings.TrimSpace(found))
			}
		}
	}
}
