package triage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/triage"
)

const pages = "../../docs/findings"

var id = regexp.MustCompile(`^DM[1-5]\d\d$`)

// TestCatalogue holds the catalogue to what is promised of it.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range triage.Catalogue {
		if !id.MatchString(s.ID) || seen[s.ID] {
			t.Errorf("%q is no id, or is given twice", s.ID)
		}
		seen[s.ID] = true
		if s.Title == "" || s.Means == "" || s.Told == "" || s.Severity == "" || s.Next == "" {
			t.Errorf("%s lacks something", s.ID)
		}
		if s.And != "" && s.AndNext == "" {
			t.Errorf("%s names a second domain, and not what that side does", s.ID)
		}
		for _, domain := range []string{s.Domain, s.And} {
			if domain != "" && contract.Default().Domain(domain) == nil {
				t.Errorf("%s: the contract that comes with Demarc has no domain %s", s.ID, domain)
			}
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d signatures", len(seen))
	}
}

// TestFindingPages holds docs/findings to have a page for each signature, made from the
// catalogue, and no other.
func TestFindingPages(t *testing.T) {
	want := map[string]string{"README.md": contents()}
	for _, s := range triage.Catalogue {
		want[s.ID+".md"] = page(s)
	}
	if *update {
		if err := os.MkdirAll(pages, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(pages, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	have, err := filepath.Glob(filepath.Join(pages, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		if _, wanted := want[filepath.Base(path)]; !wanted {
			t.Errorf("%s is of no signature: delete it", path)
		}
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(pages, name))
		if err != nil {
			t.Errorf("%v; run: make generate", err)
			continue
		}
		if diff := cmp.Diff(string(got), text); diff != "" {
			t.Errorf("%s is not current; run: make generate\n%s", name, diff)
		}
	}
}

const made = "<!-- Made by make generate from internal/triage/catalogue_*.go. -->\n"

func contents() string {
	var b strings.Builder
	b.WriteString(made + "# What triage finds\n\nEach id has a page: what it means, how it is told apart from what looks the same, who acts, and what to do. An id never gets\n" +
		"another meaning. Who acts is not fixed in a finding: it names its failure domain, and the [ownership contract](../contract.md)\n" +
		"says who is paged for that; below is what the contract says that comes with Demarc. What several teams meet at one thing that they\n" +
		"share is the platform's. What is in a namespace of no team is the platform's too.\n\n" +
		"What follows from something else that was found is folded under it, so that one cause is one finding. What has just begun is let be:\n" +
		"two minutes for what changed its state, five for pods that were never ready, ten for what is slow by nature. An event that is older\n" +
		"than an hour, or of an object that had the same name before, says nothing. What could not be read is listed, and nothing is concluded from it.\n")
	for _, group := range []struct{ prefix, title string }{{"DM1", "Workloads"}, {"DM2", "Network"}, {"DM3", "Capacity, quota and volumes"}, {"DM4", "Delivery"}, {"DM5", "Platform"}} {
		fmt.Fprintf(&b, "\n## %s\n\n| id | what | severity | domain | who acts |\n|---|---|---|---|---|\n", group.title)
		for _, s := range sorted() {
			if strings.HasPrefix(s.ID, group.prefix) {
				fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s |\n", s.ID, s.ID, s.Title, s.Severity, domains(s), party(s))
			}
		}
	}
	b.WriteString(howMade())
	return b.String()
}

func sorted() []triage.Signature {
	list := slices.Clone(triage.Catalogue)
	slices.SortFunc(list, func(a, b triage.Signature) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func domains(s triage.Signature) string {
	if s.And == "" {
		return s.Domain
	}
	return s.Domain + ", " + s.And
}

// party is who acts by the contract that comes with Demarc.
func party(s triage.Signature) string {
	who := string(contract.Default().Domain(s.Domain).Paged)
	if s.And != "" && string(contract.Default().Domain(s.And).Paged) != who {
		who = "shared"
	}
	return who
}

func page(s triage.Signature) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s# %s: %s\n\n%s\n\n", made, s.ID, s.Title, s.Means)
	fmt.Fprintf(&b, "**How it is told apart.** %s\n\n", s.Told)
	if s.Symptom {
		b.WriteString("It is a symptom: where its cause is seen it is folded under that, and goes with it.\n\n")
	}
	fmt.Fprintf(&b, "**Who acts.** Whoever the [contract](../contract.md) pages for `%s`", s.Domain)
	if s.And != "" {
		fmt.Fprintf(&b, " and for `%s`", s.And)
	}
	fmt.Fprintf(&b, "; by the one that comes with Demarc: %s. Severity: %s.\n\n", party(s), s.Severity)
	fmt.Fprintf(&b, "**What to do.** %s.\n", sentence(s.Next))
	if s.Command != "" {
		fmt.Fprintf(&b, "\n```sh\n%s\n```\n", places(s.Command))
	}
	if s.AndNext != "" {
		fmt.Fprintf(&b, "\nThe other side: %s.\n", places(s.AndNext))
	}
	if s.Promoted != "" {
		fmt.Fprintf(&b, "\n**Where several teams meet it** at one thing that they share, it is the platform's: %s.\n", places(s.Promoted))
	}
	return b.String()
}

var place = regexp.MustCompile(`\{(\w+)\}`)

// places shows what is filled in as people write it.
func places(text string) string {
	return place.ReplaceAllStringFunc(text, func(p string) string {
		word := map[string]string{"ns": "NAMESPACE"}[p[1:len(p)-1]]
		if word == "" {
			word = strings.ToUpper(p[1 : len(p)-1])
		}
		return word
	})
}

func sentence(text string) string {
	text = places(text)
	return strings.ToUpper(text[:1]) + text[1:]
}
