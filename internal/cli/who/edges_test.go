package who_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/who"
)

// A field that the kind does not have is a slip, and not an answer for the whole kind.
func fields(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"service", "--field", "spec.externalIPs"}, exit.Done, "domain security-policies"},
		{[]string{"service", "--field", "spec.externalIP"}, exit.Unknown, "Service has no field spec.externalIP: did you mean spec.externalIPs?"},
		{[]string{"service", "--field", "nope"}, exit.Unknown, "Service has no field nope: there are apiVersion, kind, metadata, spec, status"},
		{[]string{"deployment/api", "-n", "team-payments", "--field", "nope"}, exit.Unknown, "Deployment has no field nope"},
		{[]string{"deployment/api", "-n", "team-payments", "--field", "spec.replica"}, exit.Unknown, "did you mean spec.replicas?"},
		{[]string{"deployment/api", "-n", "team-payments", "--field", "spec.template.spec.containers[0].imag"}, exit.Unknown, "did you mean spec.template.spec.containers.image?"},
		{[]string{"deployment/api", "-n", "team-payments", "--field", "spec.replicas.x"}, exit.Unknown, "nothing is below spec.replicas"},
		{[]string{"deployment/api", "-n", "team-payments", "--field", "spec.paused"}, exit.Done, "has no field spec.paused now"},
		{[]string{"deployment/api", "-n", "team-payments", "--field", "spec.template.spec.containers[name=api].image"}, exit.Done, "Set by"},
		{[]string{"deployment/api", "-n", "team-payments", "--field", `metadata.labels["a.b/c"]`}, exit.Done, "Deployment"},
		{[]string{"claim/x", "--field", "spec.replica"}, exit.Unknown, "ServiceClaim has no field spec.replica: did you mean spec.replicas?"},
		{[]string{"application/x", "--field", "spec.nope"}, exit.No, "there is no application/x"}, // whose fields are not known
	} {
		code, out, errs := ask(t, "", c.args...)
		if code != c.code || !strings.Contains(strings.ToLower(out+errs), strings.ToLower(c.says)) || code == exit.Unknown && out != "" {
			t.Errorf("%q: exit code %d, want %d\n%s%s\nwant %q", c.args, code, c.code, out, errs, c.says)
		}
	}
}

// Where a team, a place or an object is not there, that is said, and nothing is made up for it.
func nobodyThere(t *testing.T) {
	code, out, errs := ask(t, "", "--path", "nopath/x.yaml")
	if code != exit.No {
		t.Errorf("a file of no team ends with %d", code)
	}
	says(t, out, "There is no Tenant nopath: nobody is behind what its team answers for.")
	says(t, errs, "there is no Tenant nopath, whose nopath/x.yaml would be")
	if code, out, errs := ask(t, "", "--path", "payments/x.yaml", "-o", "json"); code != exit.Done || strings.Contains(out, "noTenant") {
		t.Errorf("a file of a team ends with %d\n%s%s", code, out, errs)
	}
	for _, alert := range []string{`{demarc_domain="node-pools",namespace="team-payments"}`, `{demarc_domain="node-pools",namespace="team-payments",deployment="api"}`, `{demarc_domain="node-pools",demarc_team="payments"}`} {
		code, out, _ := ask(t, "lee", "--alert", alert)
		if code != exit.Done || strings.Contains(out, "\n  may ") || strings.Contains(out, "delivers it") || !strings.Contains(out, "is paged           the platform") {
			t.Errorf("%s ends with %d and says\n%s", alert, code, out)
		}
	}
	_, out, _ = ask(t, "lee", "--alert", `{demarc_domain="application-deployment",namespace="team-payments",deployment="api"}`)
	says(t, out, "may read it, create one, change it", "serviceclaim/api")
	_, out, _ = ask(t, "lee", "secret/x", "-n", "team-nobody")
	says(t, out, "Whether there is such an object is not known", "How it is changed: in Git, or in the cluster\n  the contract names no place in Git for this domain, and the object, which may lead to one, could not be read\n")
	_, out, _ = ask(t, "", "secret", "-n", "team-payments")
	says(t, out, "  the contract names no place in Git for this domain\n")
}

// update changes the contract of the cluster.
func update(t *testing.T, change func(*v1alpha1.OwnershipContract)) {
	t.Helper()
	o := &v1alpha1.OwnershipContract{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: v1alpha1.ContractName}, o); err != nil {
		t.Fatal(err)
	}
	change(o)
	if err := env.Client.Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// A kind that the contract names and the cluster does not serve is answered for.
func contractAlone(t *testing.T) {
	update(t, func(o *v1alpha1.OwnershipContract) {
		o.Spec.Domains[0].Resources = append(o.Spec.Domains[0].Resources, v1alpha1.ContractResource{Group: "example.com", Kinds: []string{"CronTab"}})
	})
	for _, word := range []string{"crontab.example.com", "crontabs.example.com", "CronTab", "crontab"} {
		code, out, errs := ask(t, "", word, "-n", "team-payments")
		if code != exit.Done {
			t.Errorf("%s ends with %d: %s", word, code, errs)
		}
		says(t, out, "domain ours", "changes it         team payments", "The cluster does not serve CronTab.example.com: the contract names it")
	}
	code, out, errs := ask(t, "", "crontab/x", "-n", "team-payments")
	if code != exit.No {
		t.Errorf("an object of it ends with %d", code)
	}
	says(t, out+errs, "There is no crontab/x in team-payments now", "domain ours")
	if code, _, errs := ask(t, "", "crontub.example.com"); code != exit.Unknown || !strings.Contains(errs, "the cluster has no kind") {
		t.Errorf("a kind that neither knows ends with %d: %s", code, errs)
	}
}

// Who may not read the contract gets the one that comes with Demarc, and is told so.
func unreadContract(t *testing.T) {
	config := rest.CopyConfig(env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "nobody-we-know"}
	code, out, errs := asked(t, func() (*rest.Config, error) { return config, nil }, "deployment", "-n", "team-payments", "-o", "json")
	var a who.Answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != exit.Done {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	if !a.Contract.Unread || a.Contract.Source != "shipped" || a.Domain.Name != "application-deployment" {
		t.Errorf("the contract is %+v, the domain %s", a.Contract, a.Domain.Name)
	}
	says(t, errs, "note: you may not read OwnershipContract default", "the cluster's may differ")
	if _, _, errs := ask(t, "lee", "deployment", "-n", "team-payments"); strings.Contains(errs, "note:") {
		t.Errorf("who may read it is told %s", errs)
	}
}

// A contract that the operator does not take answers with that first, and ends with 2.
func notInForce(t *testing.T) {
	update(t, func(o *v1alpha1.OwnershipContract) {
		o.Spec.Domains[0].Resources[0].Kinds = []string{"Deployment", "Deploymnt"}
	})
	code, out, errs := ask(t, "lee", "deployment/api", "-n", "team-payments")
	if code != exit.Unknown || !strings.HasPrefix(out, "Not in force: the operator does not take the contract that answers here (spec.domains[0].resources[0].kinds[1]: ") {
		t.Errorf("it ends with %d and says\n%s", code, out)
	}
	says(t, out, "What holds is what roles and admission were last compiled from", "domain ours")
	says(t, errs, "the contract that answers is not in force")
	code, out, _ = ask(t, "lee", "deployment/api", "-n", "team-payments", "-o", "json")
	var a who.Answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != exit.Unknown || len(a.Contract.Faults) != 1 {
		t.Errorf("exit code %d, %v: %+v", code, err, a.Contract)
	}
}

// A person's terminal is as wide as it is; a program gets whole lines.
func TestWidth(t *testing.T) {
	files := "apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: shop}\nspec:\n  contacts:\n    channel: https://hooks.slack.com" + "/services/T0000/B0000/XXXX\n" +
		"    escalation: the head of shop" + strings.Repeat(", or who stands in for them", 8) + "\nstatus: {namespace: team-shop}\n"
	longest := map[int]int{}
	for _, width := range []int{0, 60, 80} {
		var out, errs bytes.Buffer
		f := factory.New("demarc", factory.IO{In: strings.NewReader(files), Out: &out, ErrOut: &errs, Width: width})
		f.Config = nowhere
		if code := cli.Run(t.Context(), f, []string{"who", "networkpolicy", "-n", "team-shop", "-f", "-"}); code != exit.Done {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > longest[width] {
				longest[width] = n
			}
		}
		if strings.Contains(out.String(), "hooks.slack.com") || !strings.Contains(out.String(), "not shown          channel: what looks like a secret") {
			t.Errorf("a secret is shown:\n%s", out.String())
		}
	}
	if longest[0] < 200 || longest[60] > 60 || longest[80] > 80 {
		t.Errorf("the longest lines are %v", longest)
	}
}
