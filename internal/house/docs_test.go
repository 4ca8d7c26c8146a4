package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every link to a file of the checkout leads to one, and where it names a heading
// that heading is there.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, f := range files(t) {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(f.text, ""), -1) {
			if problem := check(f, found[1]+found[2]); problem != "" {
				t.Errorf("%s: the link to %s: %s", f.path, found[1]+found[2], problem)
			}
		}
	}
}

// check says what is wrong with a link; links out of the checkout are not followed.
func check(from file, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return ""
	}
	name, anchor, _ := strings.Cut(to, "#")
	target := from.path
	if name != "" {
		target = path.Join(path.Dir(from.path), name)
	}
	onDisk := filepath.Join("..", "..", filepath.FromSlash(target))
	if _, err := os.Stat(onDisk); err != nil {
		return "there is no such file"
	}
	if anchor == "" || !strings.HasSuffix(target, ".md") {
		return ""
	}
	text, err := os.ReadFile(onDisk)
	if err != nil {
		return err.Error()
	}
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		if slug(h[1]) == anchor {
			return ""
		}
	}
	return "there is no such heading"
}

// slug is the anchor that a heading gets when it is shown as a page.
func slug(heading string) string {
	plain := noSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
	return strings.ReplaceAll(plain, " ", "-")
}

var (
	testNamed    = regexp.MustCompile("`(Test[A-Z]\\w*)`")
	testDeclared = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
	complaint    = regexp.MustCompile(`^TestComplaint(\d\d)`)
)

// A test that a document names is there, and each complaint that is a test is in the
// list of docs/hard-edges.md.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	declared, named := map[string]bool{}, map[string]bool{}
	for _, f := range files(t) {
		for _, found := range testDeclared.FindAllStringSubmatch(f.text, -1) {
			declared[found[1]] = f.isTest() || declared[found[1]]
		}
	}
	for _, f := range files(t) {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, found := range testNamed.FindAllStringSubmatch(f.text, -1) {
			if !declared[found[1]] {
				t.Errorf("%s names %s, which is no test", f.path, found[1])
			}
			named[found[1]] = named[found[1]] || f.path == "docs/hard-edges.md"
		}
	}
	seen := map[string]bool{}
	for name := range declared {
		if number := complaint.FindStringSubmatch(name); number != nil {
			seen[number[1]] = true
			if !named[name] {
				t.Errorf("docs/hard-edges.md does not name %s", name)
			}
		}
	}
	if len(seen) != 28 {
		t.Errorf("%d complaints are tests, want 28", len(seen))
	}
}
