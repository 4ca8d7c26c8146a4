// Package routes asks Alertmanager's own code where alerts go, in a module of its own
// (alertmanager/), and compares with what Demarc says by itself.
package routes

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/routes"
)

const testdata = "../../internal/routes/testdata"

// The golden file, and contracts with each answer in each place, are loaded and asked
// about every domain × every team, with one that is unknown and with none.
func TestAlertmanagerAgrees(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata, "parties.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files, found := contract.Parse("parties.yaml", text)
	if len(found) > 0 {
		t.Fatal(found)
	}
	golden, err := os.ReadFile(filepath.Join(testdata, "alertmanager.golden"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("shipped", func(t *testing.T) { agrees(t, string(golden), contract.Default(), files.Parties) })

	odd := files.Parties
	for _, name := range []string{"a\"b\\c\nd", "team=~x", "schön"} {
		tenant := v1alpha1.Tenant{}
		tenant.Name = name
		odd.Tenants = append(odd.Tenants, tenant)
	}
	for _, unlisted := range []v1alpha1.Party{"platform", "team", "nobody"} {
		for _, parties := range []contract.Parties{{}, files.Parties, odd} {
			spec := v1alpha1.OwnershipContractSpec{Unlisted: unlisted}
			for _, paged := range []v1alpha1.Party{"shared", "platform", "team", "nobody"} {
				spec.Domains = append(spec.Domains, v1alpha1.ContractDomain{Name: "of-" + string(paged), Paged: paged})
			}
			c := contract.New(spec)
			config, err := routes.New(c, parties).YAML(routes.Defaults)
			if err != nil {
				t.Fatal(err)
			}
			t.Run("unlisted "+string(unlisted), func(t *testing.T) { agrees(t, string(config), c, parties) })
		}
	}
}

func agrees(t *testing.T, config string, c *contract.Contract, parties contract.Parties) {
	t.Helper()
	alerts := alerts(c, parties)
	got := alertmanager(t, config, alerts)
	if len(got) != len(alerts) {
		t.Fatalf("%d answers to %d alerts", len(got), len(alerts))
	}
	table := routes.New(c, parties)
	for i, labels := range alerts {
		if diff := cmp.Diff(table.Receivers(labels), got[i]); diff != "" {
			t.Errorf("%v (-Demarc +Alertmanager)\n%s", labels, diff)
		}
	}
	t.Logf("%d alerts", len(alerts))
}

// alerts of every domain and team, an unknown one, and none.
func alerts(c *contract.Contract, parties contract.Parties) (all []map[string]string) {
	const none = "none"
	domains, teams := []string{none, "unknown", "team"}, []string{none, "unknown", "platform", "payments-2"}
	for _, d := range c.Spec.Domains {
		domains = append(domains, d.Name)
	}
	for _, p := range parties.Tenants {
		teams = append(teams, p.Name)
	}
	for _, d := range domains {
		for _, team := range teams {
			labels := map[string]string{"alertname": "Anything", "severity": "critical"}
			if d != none {
				labels[routes.LabelDomain] = d
			}
			if team != none {
				labels[routes.LabelTeam] = team
			}
			all = append(all, labels)
		}
	}
	return all
}

// alertmanager runs the program in the folder of that name, a module of its own.
func alertmanager(t *testing.T, config string, alerts []map[string]string) [][]string {
	t.Helper()
	question, err := json.Marshal(map[string]any{"config": config, "alerts": alerts})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = "alertmanager"
	var out, errors bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("ask Alertmanager: %v: %s", err, errors.String())
	}
	var receivers [][]string
	if err := json.Unmarshal(out.Bytes(), &receivers); err != nil {
		t.Fatalf("read what Alertmanager says: %v: %s", err, out.String())
	}
	return receivers
}
