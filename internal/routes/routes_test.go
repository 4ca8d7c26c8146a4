package routes_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/routes"
)

var update = flag.Bool("update", false, "write the golden files anew")

func parties(t *testing.T) contract.Parties {
	t.Helper()
	text, err := os.ReadFile("testdata/parties.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, found := contract.Parse("parties.yaml", text)
	if len(found) > 0 {
		t.Fatal(found)
	}
	return f.Parties
}

func TestGolden(t *testing.T) {
	got, err := routes.New(contract.Default(), parties(t)).YAML(routes.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/alertmanager.golden"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant: go test ./internal/routes -update\n%s", golden, diff)
	}
}

// Who is paged follows from the domain's answer; whose nobody knows is the platform's.
func TestReceivers(t *testing.T) {
	spec := v1alpha1.OwnershipContractSpec{Domains: []v1alpha1.ContractDomain{
		{Name: "nodes", Paged: "platform"}, {Name: "apps", Paged: "team"}, {Name: "budgets", Paged: "shared"}, {Name: "cost", Paged: "nobody"},
	}}
	cases := []struct {
		unlisted           v1alpha1.Party
		domain, team, want string
	}{
		{"", "nodes", "payments", "platform"}, {"", "nodes", "", "platform"},
		{"", "apps", "payments", "team-payments"}, {"", "apps", "gone", "platform"}, {"", "apps", "", "platform"},
		{"", "budgets", "payments", "platform team-payments"}, {"", "budgets", "gone", "platform"},
		{"", "cost", "payments", "nobody"}, {"", "cost", "", "nobody"},
		{"", "", "", "platform"}, {"", "gone", "payments", "platform"},
		{"team", "", "payments", "team-payments"}, {"team", "gone", "payments", "team-payments"}, {"team", "", "", "platform"}, {"team", "budgets", "payments", "platform team-payments"},
		{"nobody", "", "payments", "nobody"}, {"nobody", "apps", "payments", "team-payments"},
	}
	for _, c := range cases {
		spec.Unlisted = c.unlisted
		labels := map[string]string{"alertname": "A"}
		for label, value := range map[string]string{routes.LabelDomain: c.domain, routes.LabelTeam: c.team} {
			if value != "" {
				labels[label] = value
			}
		}
		if got := strings.Join(routes.New(contract.New(spec), parties(t)).Receivers(labels), " "); got != c.want {
			t.Errorf("unlisted %q: an alert of %q and team %q goes to %q, want %q", c.unlisted, c.domain, c.team, got, c.want)
		}
	}
}

// A channel that cannot be sent to, or that would give a secret away or be taken for a
// template, leaves a receiver with its name alone and a comment; and lint says so of the
// same channels, with the field, and of no others.
func TestChannels(t *testing.T) {
	const shop = "# Tenant shop: its channel "
	cases := map[string]string{
		"#payments":                       "slack_configs:\n      - channel: '#payments'",
		"#it's":                           "slack_configs:\n      - channel: '#it''s'",
		"a@b.example":                     "email_configs:\n      - to: 'a@b.example'",
		"https://hooks.example/x":         "webhook_configs:\n      - url: 'https://hooks.example/x'",
		"":                                shop + "is not named",
		"  ":                              shop + "is not named",
		"#{{ .Secret }}":                  shop + "holds {{",
		"#{{.X}}":                         shop + "holds {{",
		"https://hooks.slack.com/s/T/B/x": shop + "holds a secret",
		"https://u:p@hooks.example/":      shop + "holds a secret",
		"https://u@hooks.example/":        shop + "holds a secret",
		"https://hooks.example/?token=x":  shop + "holds a secret",
		"https://hooks.example/glpat-" + strings.Repeat("x", 20): shop + "holds a secret",
		"https://":                  shop + "is no URL",
		"https://:443/x":            shop + "is no URL",
		"https://x%zz/":             shop + "is no URL",
		"https:// x":                shop + "holds a blank",
		"call us":                   shop + "holds a blank",
		"call-us":                   shop + "is no #CHANNEL",
		"a@b.example,c@d.example":   shop + "is no #CHANNEL",
		"a@b.example\n- name: evil": shop + "holds a blank",
		"http://hooks.example/x":    shop + "is no #CHANNEL",
		"#":                         shop + "is no #CHANNEL",
		"#a\u202eb":                 shop + "holds a blank or a character that cannot be printed",
	}
	for channel, want := range cases {
		tenant := v1alpha1.Tenant{}
		tenant.Name, tenant.Spec.Contacts = "shop", v1alpha1.Contacts{Channel: channel, OnCall: "+49 30 1234"}
		known := contract.Parties{Tenants: []v1alpha1.Tenant{tenant}}
		got, err := routes.New(contract.Default(), known).YAML(routes.Defaults)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%q: %v\n%s\nwant %s", channel, err, got[strings.Index(string(got), "receivers:"):], want)
		}
		lost := strings.HasPrefix(want, "#")
		if lost && strings.Contains(string(got), "_configs") {
			t.Errorf("%q is sent to all the same", channel)
		}
		var said []contract.Problem
		for _, p := range contract.Lint(contract.Default().Spec, known) {
			if p.Object == "Tenant shop" && p.Path == "spec.contacts.channel" && p.Severity != contract.Note {
				said = append(said, p)
			}
		}
		if (len(said) == 1) != lost || len(said) > 1 {
			t.Errorf("%q: alerts are lost: %v, and lint says %v", channel, lost, said)
		}
	}
}

// Whatever a name or a title holds, the file stays the one that was meant.
func TestTextIsData(t *testing.T) {
	const evil = "x\"}']\n- receiver: evil\n# \x1b[2J"
	tenant := v1alpha1.Tenant{}
	tenant.Name, tenant.Spec.Contacts.Channel = evil, "#"+evil
	spec := v1alpha1.OwnershipContractSpec{Domains: []v1alpha1.ContractDomain{{Name: evil, Title: evil, Paged: "team"}}}
	got, err := routes.New(contract.New(spec), contract.Parties{Tenants: []v1alpha1.Tenant{tenant}}).YAML(routes.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Route     struct{ Routes []struct{ Matchers []string } }
		Receivers []struct{ Name string }
	}
	if err := yaml.Unmarshal(got, &read); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if len(read.Route.Routes) != 1 || len(read.Receivers) != 3 || read.Receivers[1].Name != "team-"+evil || strings.ContainsRune(string(got), '\x1b') {
		t.Errorf("it makes\n%s", got)
	}
	if want := `demarc_domain="x\"}']\n- receiver: evil\n# ` + "\x1b" + `[2J"`; read.Route.Routes[0].Matchers[0] != want {
		t.Errorf("the matcher is %q, want %q", read.Route.Routes[0].Matchers[0], want)
	}
}
