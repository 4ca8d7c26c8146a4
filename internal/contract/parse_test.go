package contract_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/contract"
)

// The contract that comes with Demarc is sound, and nothing is to be said about it.
func TestShippedIsSound(t *testing.T) {
	f, found := contract.Parse("default.yaml", contract.Shipped())
	found = append(found, f.Lint()...)
	for _, p := range found {
		t.Error(p)
	}
	if diff := cmp.Diff(contract.Default().Spec, f.Spec()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

const (
	head     = "apiVersion: demarc.dev/v1alpha1\nkind: OwnershipContract\nmetadata: {name: default}\n"
	platform = "apiVersion: demarc.dev/v1alpha1\nkind: Platform\nmetadata: {name: default}\n"
	tenant   = "apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: payments}\n"
)

// What cannot be read is refused, with its line.
func TestParseRefuses(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"no YAML":                 {head + "spec: [\n", "f.yaml:4: this is no YAML: did not find expected node content"},
		"no object":               {"- a\n", "f.yaml:1: it is no object"},
		"a field unknown":         {head + "spec:\n  domains:\n  - name: a\n    owner: team\n", "f.yaml:7: OwnershipContract default: spec.domains[0].owner: there is no such field"},
		"a field unknown, nested": {head + "spec:\n  domains:\n  - resources:\n    - {kinds: [Pod],\n       verbs: [get]}\n", "f.yaml:8: OwnershipContract default: spec.domains[0].resources[0].verbs: there is no such field"},
		"a list that is none":     {head + "spec:\n  domains:\n    a: b\n", "f.yaml:5: OwnershipContract default: spec.domains: it is a set of fields, and must be a list"},
		"a text that is none":     {head + "spec:\n  domains:\n  - name: 7\n", "OwnershipContract default: spec.domains"},
		"a key twice":             {head + "spec:\n  unlisted: team\n  unlisted: platform\n", "f.yaml:6: spec.unlisted: it is set twice"},
		"another version":         {strings.Replace(head, "v1alpha1", "v2", 1) + "spec: {domains: []}\n", "f.yaml:1: OwnershipContract default: apiVersion: demarc.dev/v2 is not known here"},
		"another name":            {strings.Replace(head, "default", "mine", 1) + "spec: {domains: []}\n", "f.yaml:3: OwnershipContract mine: metadata.name: there is one OwnershipContract and its name is default"},
		"no name":                 {strings.Replace(tenant, "name: payments", "", 1), "f.yaml:3: metadata.name: it has no name"},
		"two contracts":           {head + "spec: {domains: []}\n---\n" + head + "spec: {domains: []}\n", "f.yaml:6: OwnershipContract default: it stands in f.yaml too, line 1"},
		"a Platform gone wrong":   {platform + "spec:\n  team:\n    groups: admins\n", "f.yaml:6: Platform default: spec.team.groups: it is text, and must be a list"},
		"a Tenant gone wrong":     {tenant + "spec:\n  contacts:\n    slack: '#x'\n", "f.yaml:6: Tenant payments: spec.contacts.slack: there is no such field"},
		"a kind that is none":     {strings.Replace(head, "OwnershipContract", "OwnershipContrac", 1), "f.yaml:2: OwnershipContrac default: kind: demarc.dev has no kind OwnershipContrac: did you mean OwnershipContract? Otherwise take it out"},
		"another kind, none":      {strings.Replace(tenant, "Tenant", "Team", 1), "f.yaml:2: Team payments: kind: demarc.dev has no kind Team: "},
		"another group":           {strings.Replace(head, "demarc.dev", "example.com", 1), "f.yaml:1: OwnershipContract default: apiVersion: OwnershipContract is not of demarc.dev: set demarc.dev/v1alpha1"},
		"a slip in the group":     {strings.Replace(tenant, "demarc.dev", "demark.dev", 1), "f.yaml:1: Tenant payments: apiVersion: Tenant is not of demarc.dev: set demarc.dev/v1alpha1"},
		"no group":                {strings.Replace(platform, "demarc.dev/", "", 1), "f.yaml:1: Platform default: apiVersion: Platform is not of demarc.dev"},
		"JSON":                    {`{"apiVersion": "demarc.dev/v1alpha1", "kind": "OwnershipContract",` + "\n" + `"metadata": {"name": "default"}, "spec": {` + "\n" + `"owners": 1}}`, "f.yaml:3: OwnershipContract default: spec.owners: there is no such field"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := contract.Parse("f.yaml", []byte(c.text))
			if len(found) == 0 || !strings.Contains(found[0].String(), c.want) {
				t.Errorf("it says %v\nwant    %s", found, c.want)
			}
			if contract.Sound(found) {
				t.Error("and it is taken all the same")
			}
		})
	}
}

// Of several documents the contract and the parties are taken, and a note says what is not.
func TestParseTakesWhatItNeeds(t *testing.T) {
	f, found := contract.Parse("f.yaml", []byte("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n---\n"+tenant+"---\n"+head+"spec: {domains: []}\n---\n"+platform+
		"---\napiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata: {name: c}\n"))
	if f.Contract == nil || f.Platform == nil || f.Team("payments") == nil || f.Team("other") != nil {
		t.Errorf("it takes %+v", f)
	}
	if len(found) != 1 || found[0].Severity != contract.Note || !strings.Contains(found[0].Message, "1 ConfigMap, 1 ServiceClaim") {
		t.Errorf("it says %v", found)
	}
	var all contract.Files
	if found := all.Add(f); len(found) > 0 {
		t.Errorf("it says %v", found)
	}
	if found := all.Add(f); len(found) != 3 || contract.Sound(found) {
		t.Errorf("the same file twice: %v", found)
	}
}

// A Tenant of somebody else's operator is none of ours, nor is another kind of Demarc's.
func TestParsePassesOver(t *testing.T) {
	f, found := contract.Parse("f.yaml", []byte(strings.Replace(tenant, "demarc.dev/v1alpha1", "capsule.example.org/v1", 1)+"---\napiVersion: demarc.dev/v1alpha1\nkind: AccessGrant\nmetadata: {name: a}\n"))
	if len(found) != 1 || found[0].Severity != contract.Note || !strings.HasSuffix(found[0].Message, ": 1 AccessGrant, 1 Tenant") || !f.Nothing(found) {
		t.Errorf("it says %v", found)
	}
	for text, want := range map[string]bool{"": true, strings.Replace(head, "Contract", "Contrac", 1): true, "a: b: c\n": false, tenant: false, strings.Replace(tenant, "metadata", "metadat", 1): false} {
		if f, found := contract.Parse("f.yaml", []byte(text)); f.Nothing(found) != want {
			t.Errorf("%q: %v, %v", text, !want, found)
		}
	}
}

// A field that a kind does not have is told from one that it has, and from one of a kind that
// is not known.
func TestNoField(t *testing.T) {
	service, deployment := schema.GroupKind{Kind: "Service"}, schema.GroupKind{Group: "apps", Kind: "Deployment"}
	for _, c := range []struct {
		kind             schema.GroupKind
		field            string
		unknown, instead string
	}{
		{service, "spec.externalIPs", "", ""}, {service, "metadata.labels.app", "", ""}, {service, "metadata.managedFields.fieldsV1.f:spec", "", ""},
		{service, "spec.externalIP", "spec.externalIP", "did you mean spec.externalIPs?"},
		{service, "spec.externalIP.x", "spec.externalIP", "did you mean spec.externalIPs?"},
		{service, "spc", "spc", "did you mean spec?"},
		{service, "nonsense", "nonsense", "there are apiVersion, kind, metadata, spec, status"},
		{service, "spec.type.x", "spec.type.x", "nothing is below spec.type"},
		{service, "spec.nonsense", "spec.nonsense", "there are allocateLoadBalancerNodePorts, clusterIP, "},
		{deployment, "spec.template.spec.containers.image", "", ""}, {deployment, "spec.template.spec.containers.imag", "spec.template.spec.containers.imag", "did you mean spec.template.spec.containers.image?"},
		{schema.GroupKind{Group: "example.com", Kind: "Widget"}, "spec.nonsense", "", ""}, {schema.GroupKind{Group: "demarc.dev", Kind: "Tenant"}, "spec.contact", "spec.contact", "did you mean spec.contacts?"},
	} {
		unknown, instead := contract.NoField(c.kind, strings.Split(c.field, "."))
		if unknown != c.unknown || !strings.HasPrefix(instead, c.instead) {
			t.Errorf("%s of %s: %q, %q; want %q, %q", c.field, c.kind, unknown, instead, c.unknown, c.instead)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "spec: {domains: [{name: a, creates: team, resources: [{kinds: [Pod], fields: [spec.containers.image]}]}]}\n---\n" + tenant + "---\n" + platform))
	f.Add([]byte(`{"apiVersion":"demarc.dev/v1alpha1","kind":"TenantList","items":[{"kind":"Tenant"}]}`))
	f.Add([]byte("a: &a [*a]\n--- x\n...\n"))
	f.Add(contract.Shipped())
	for _, file := range []string{"../../examples/teams.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files, found := contract.Parse("f", data)
		found = append(found, files.Lint()...)
		for _, p := range found {
			if p.Message == "" || p.Line < 0 || p.Line > 1+strings.Count(string(data), "\n") {
				t.Errorf("%+v", p)
			}
		}
		if files.Contract != nil && contract.Sound(found) {
			contract.New(files.Spec()).Rows() // what is sound can be compiled
		}
	})
}
