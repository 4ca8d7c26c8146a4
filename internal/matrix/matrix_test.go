package matrix_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/matrix"
)

var update = flag.Bool("update", false, "write the golden files anew")

func svg(t *testing.T, c *contract.Contract) string {
	t.Helper()
	out, err := matrix.SVG(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestGolden(t *testing.T) {
	parties := contract.Parties{Platform: &v1alpha1.Platform{}, Tenants: []v1alpha1.Tenant{{}}}
	parties.Platform.Spec.Team.Contacts = v1alpha1.Contacts{Channel: "#platform", OnCall: "https://on-call.example/platform", Escalation: "the head of platform"}
	parties.Tenants[0].Name = "payments"
	parties.Tenants[0].Spec.Contacts = v1alpha1.Contacts{Channel: "#payments"}
	for golden, got := range map[string]string{
		"testdata/matrix.md": matrix.Markdown(contract.Default(), parties), "testdata/matrix.svg": svg(t, contract.Default()),
	} {
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s differs (-want +got); if that is meant: go test ./internal/matrix -update\n%s", golden, diff)
		}
	}
}

const evil = "</text><script>x</script> | \"' & ]]> <!-- [a](b) `c` **d** \x1b[2J \u202e \x00\nnext"

func evilContract() *contract.Contract {
	return contract.New(v1alpha1.OwnershipContractSpec{
		Decisions: []v1alpha1.ContractDecision{{Name: evil, How: evil}},
		Domains: []v1alpha1.ContractDomain{{Name: evil, Title: evil, Creates: evil, ChangePath: evil, Decision: evil, Boundary: evil,
			Resources: []v1alpha1.ContractResource{{Kinds: []string{evil}, Name: evil, Label: evil, Fields: []string{evil}}}}},
	})
}

// Whatever the contract holds is text in the picture: the elements are those of any other.
func TestPictureEscapes(t *testing.T) {
	known := map[string]bool{"svg": true, "title": true, "desc": true, "g": true, "rect": true, "text": true}
	said := ""
	out := svg(t, evilContract())
	decoder := xml.NewDecoder(strings.NewReader(out))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("it is no XML: %v\n%s", err, out)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !known[token.Name.Local] {
				t.Errorf("it holds an element %s", token.Name.Local)
			}
		case xml.CharData:
			said += " " + strings.TrimSpace(string(token))
		}
	}
	if !strings.Contains(said, "</text><script>x</script>") || strings.ContainsAny(said, "\x1b\u202e") {
		t.Errorf("it says %q", said)
	}
}

// In the table nothing of it is markup, and no row is broken.
func TestTableEscapes(t *testing.T) {
	parties := contract.Parties{Tenants: []v1alpha1.Tenant{{}}}
	parties.Tenants[0].Name, parties.Tenants[0].Spec.Contacts.Channel = evil, evil
	out := matrix.Markdown(evilContract(), parties)
	for line := range strings.Lines(out) {
		if strings.Contains(line, "script") && (!strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |\n")) {
			t.Errorf("a broken row: %q", line)
		}
	}
	for _, markup := range []string{"<script", " | \"'", "\x1b", "\u202e", "[a](", " `c`", " **d"} {
		if strings.Contains(out, markup) {
			t.Errorf("it holds %q", markup)
		}
	}
}

// Every answer of the contract is in both, and the picture has a title and says in words
// what it shows.
func TestComplete(t *testing.T) {
	picture, table := svg(t, contract.Default()), matrix.Markdown(contract.Default(), contract.Parties{})
	for _, d := range contract.Default().Spec.Domains {
		if !strings.Contains(table, "| **"+d.Title+"** | "+string(d.Creates)+" | "+string(d.Modifies)+" | "+string(d.Approves)+" |") {
			t.Errorf("the table lacks %s", d.Title)
		}
		spoken := strings.ReplaceAll(d.Title, "'", "&#39;") + ": " + string(d.Creates) + " creates, " + string(d.Modifies) + " changes"
		if !strings.Contains(picture, `<g role="listitem" aria-label="`+spoken) {
			t.Errorf("the picture lacks %s", spoken)
		}
	}
	for _, want := range []string{`role="list"`, `aria-labelledby="title"`, "<title id=\"title\">Who owns what</title>", "<desc id=\"about\">A table of "} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
}

// The table is kept in Git: how to get in stands nowhere in it.
func TestNoSecrets(t *testing.T) {
	parties := contract.Parties{Tenants: []v1alpha1.Tenant{{}}}
	parties.Tenants[0].Name = "payments"
	parties.Tenants[0].Spec.Contacts = v1alpha1.Contacts{Channel: "https://hooks.slack.com" + "/services/T0000/B0000/XXXX", OnCall: "https://kim:open-sesame@on-call.example/", Escalation: "the head"}
	got := matrix.Markdown(contract.Default(), parties)
	if strings.Contains(got, "hooks") || strings.Contains(got, "sesame") || !strings.Contains(got, "| team payments | | | the head |") {
		t.Errorf("it shows\n%s", got[strings.Index(got, "## Parties"):])
	}
}
