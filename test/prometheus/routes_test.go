package prometheus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/routes"
	"demarc.dev/demarc/internal/triage"
)

// TestAlertsReachSomebody has every alert that fires in the scenes, and one for each domain in
// which triage finds something, reach whoever must act, by what the shipped contract becomes
// for Alertmanager: the team that it names, or else the platform. Alertmanager's own code
// agrees.
func TestAlertsReachSomebody(t *testing.T) {
	_, a := replayAll(t)
	fired := ofDomains(t)
	for _, c := range a.Cases {
		fired = append(fired, c.Fires...)
	}
	table := routes.New(contract.Default(), parties())
	config, err := table.YAML(routes.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	var asked []map[string]string
	var want [][]string
	for _, f := range fired {
		receiver := routes.ReceiverPlatform
		if team := f.Labels[routes.LabelTeam]; team != "" && f.Labels[routes.LabelDomain] != "" {
			receiver = routes.ReceiverOf(team)
		}
		asked, want = append(asked, f.Labels), append(want, []string{receiver})
		if got := table.Receivers(f.Labels); !slices.Equal(got, []string{receiver}) {
			t.Errorf("%s reaches %v, want %s", line(f.Labels), got, receiver)
		}
		if !slices.Contains([]string{"critical", "warning"}, f.Labels["severity"]) {
			t.Errorf("%s: severity %q", line(f.Labels), f.Labels["severity"])
		}
	}
	if diff := cmp.Diff(want, alertmanager(t, string(config), asked)); diff != "" {
		t.Errorf("Alertmanager sends them elsewhere (-want +got)\n%s", diff)
	}
	t.Logf("%d alerts", len(fired))
}

// ofDomains are the alerts on a finding of each domain that triage has, of the owner that the
// contract pages for it.
func ofDomains(t *testing.T) []alert {
	t.Helper()
	domains := map[string]bool{}
	for _, s := range triage.Catalogue {
		domains[s.Domain] = true
		domains[s.And] = true
	}
	delete(domains, "")
	q := question{Files: ruleFiles(t), Cases: []replay{{At: "20m"}}}
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		d := contract.Default().Domain(domain)
		if d == nil {
			t.Fatalf("the contract has no domain %s", domain)
		}
		q.Cases[0].Series = append(q.Cases[0].Series, fmt.Sprintf(
			`demarc_findings{id="DM-%s",owner=%q,domain=%q,severity="error",team="payments"} 1x20`, domain, d.Paged, domain))
	}
	fired := slices.DeleteFunc(ask(t, q).Cases[0].Fires, func(a alert) bool { return a.Labels["id"] == "" })
	if len(fired) != len(domains) {
		t.Errorf("%d alerts on findings in %d domains", len(fired), len(domains))
	}
	for _, f := range fired {
		paged := contract.Default().Domain(f.Labels[routes.LabelDomain]).Paged
		if (paged == v1alpha1.PartyTeam) != (f.Labels[routes.LabelTeam] == "payments") {
			t.Errorf("%s, where the contract pages the %s", line(f.Labels), paged)
		}
	}
	return fired
}

func parties() contract.Parties {
	var p contract.Parties
	for _, name := range []string{"payments", "search", "shop"} {
		tenant := v1alpha1.Tenant{}
		tenant.Name = name
		tenant.Spec.Contacts.Channel = "#" + name
		p.Tenants = append(p.Tenants, tenant)
	}
	return p
}

// alertmanager asks the program of test/routes, a module of its own.
func alertmanager(t *testing.T, config string, alerts []map[string]string) (receivers [][]string) {
	t.Helper()
	question, err := json.Marshal(map[string]any{"config": config, "alerts": alerts})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = "../routes/alertmanager"
	var out, failed bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &failed
	if err := cmd.Run(); err != nil {
		t.Fatalf("ask Alertmanager: %v: %s", err, failed.String())
	}
	if err := json.Unmarshal(out.Bytes(), &receivers); err != nil {
		t.Fatalf("read what Alertmanager says: %v: %s", err, out.String())
	}
	return receivers
}
