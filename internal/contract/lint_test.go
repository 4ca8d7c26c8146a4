package contract_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

const (
	quotas, workloads = "OwnershipContract default: spec.domains[0].", "OwnershipContract default: spec.domains[1]."
	words             = ": the boundary is not defined well enough: name platform, team, shared or nobody"
)

// bad are contracts that differ in one place from testdata/small.yaml.
var bad = map[string]struct{ from, to, want string }{
	"everyone":                   {"paged: platform", "paged: everyone", "21: " + quotas + `paged: "everyone" is no answer to who is paged` + words},
	"all":                        {"paged: platform", "paged: all", "21: " + quotas + `paged: "all" is no answer to who is paged` + words},
	"anyone":                     {"creates: team", "creates: anyone", "29: " + workloads + `creates: "anyone" is no answer to who creates` + words},
	"a list of words":            {"deletes: team", "deletes: dev and ops", "34: " + workloads + `deletes: "dev and ops" is no answer to who deletes` + words},
	"a party in capitals":        {"modifies: team", "modifies: Team", "30: " + workloads + `modifies: "Team" is no answer to who modifies` + words},
	"no answer":                  {"approves: team\n", "\n", "28: " + workloads + "approves: domain workloads does not say who approves: name platform, team, shared or nobody"},
	"an empty answer":            {"monitors: platform", `monitors: ""`, "20: " + quotas + "monitors: domain quotas does not say who monitors: name platform, team, shared or nobody"},
	"unlisted is everybody's":    {"unlisted: platform", "unlisted: everyone", `6: OwnershipContract default: spec.unlisted: "everyone" is no party: name platform, team or nobody`},
	"unlisted is shared":         {"unlisted: platform", "unlisted: shared", "6: OwnershipContract default: spec.unlisted: what nobody has decided on cannot be shared: name platform, team or nobody"},
	"no way to decide":           {"decision: meeting\n", "\n", "28: " + workloads + "decision: an answer of shared needs a way to decide: name one of spec.decisions (meeting)|8: warning"},
	"a decision unknown":         {"decision: meeting\n", "decision: meetings\n", "36: " + workloads + `decision: there is no decision "meetings": did you mean meeting? Otherwise list it in spec.decisions|8: warning`},
	"a decision by nobody":       {"how: Both meet on Mondays.", `how: " "`, "8: OwnershipContract default: spec.decisions[0].how: it does not say how: write who meets where, and who has the last word"},
	"a decision twice":           {"decisions:\n", "decisions:\n    - {name: meeting, how: x}\n", "9: OwnershipContract default: spec.decisions[1].name: there are two of the name meeting: one of the two is to go, or to be named otherwise"},
	"a decision without a name":  {"decisions:\n", "decisions:\n    - {how: x}\n", "8: OwnershipContract default: spec.decisions[0].name: the decision has no name: name it, so that domains can refer to it"},
	"a repository twice":         {"{name: apps}", "{name: apps}\n    - {name: apps}", "12: OwnershipContract default: spec.repositories[2].name: there are two of the name apps"},
	"a repository out of it":     {"{name: apps}", "{name: apps}\n    - {name: ../etc}", `12: OwnershipContract default: spec.repositories[2].name: "../etc" becomes the name of a folder|12: warning`},
	"a repository unknown":       {"repository: apps", "repository: app", "38: " + workloads + `paths[0].repository: there is no repository "app": did you mean apps? Otherwise list it in spec.repositories|11: warning`},
	"a domain twice":             {"name: workloads", "name: quotas", "28: " + workloads + "name: there are two of the name quotas"},
	"a domain without a name":    {"- name: workloads\n      creates", "- creates", "28: " + workloads + "name: the domain has no name"},
	"a domain in capitals":       {"name: workloads", "name: Workloads", "28: " + workloads + `name: alerts carry "Workloads" in the label demarc_domain`},
	"a domain of Demarc's":       {"name: workloads", "name: unlisted", "28: " + workloads + "name: unlisted is what Demarc calls the kinds that no domain covers"},
	"a change path unknown":      {"changePath: both", "changePath: pull-request", "35: " + workloads + `changePath: "pull-request" is no way to change something: name git, cluster or both`},
	"a path from nowhere":        {`"/{team}/"`, "apps/", "38: " + workloads + `paths[0].path: "apps/" must begin with '/'`},
	"a path with a blank":        {"/tenants/", `"/ten ants/"`, "24: " + quotas + `paths[0].path: "/ten ants/" holds a blank`},
	"a path with a line break":   {"/tenants/", `"/a\n* @eve"`, "24: " + quotas + `paths[0].path: "/a\n* @eve" holds a blank`},
	"a path with a pattern":      {"/tenants/", `"/[a-z]/"`, "24: " + quotas + `paths[0].path: "/[a-z]/" holds one of`},
	"a path with another word":   {"{team}", "{claim}", "38: " + workloads + `paths[0].path: "/{claim}/" holds a brace: only {team} is filled in`},
	"a kind in two domains":      {"kinds: [Pod], read: view, operations: {logs: view}", "kinds: [Pod, ResourceQuota]", "40: " + workloads + "resources[0].kinds[1]: ResourceQuota is in domain quotas already: one owner is to be named, or one of the two narrowed"},
	"a kind twice in one domain": {"kinds: [Pod]", "kinds: [Pod, Pod]", "40: " + workloads + "resources[0].kinds[1]: Pod is in domain workloads already"},
	"a label twice":              {"label: tier=web}", "label: tier=web}\n        - {group: apps, kinds: [Deployment], label: tier=web}", "43: " + workloads + "resources[3].kinds[0]: the same part of Deployment.apps (label tier=web) is in domain workloads already"},
	"a field twice":              {"- {kinds: [Service]}", "- {kinds: [Service]}\n        - {kinds: [Service], fields: [spec.ports, spec.externalIPs]}", "42: " + workloads + "resources[2].fields[1]: the same part of Service (field spec.externalIPs) is in domain quotas already"},
	"a slip in a kind":           {"kinds: [Pod]", "kinds: [Pods]", "40: " + workloads + `resources[0].kinds[0]: group "" has no kind Pods: did you mean Pod? Otherwise take it out`},
	"a kind in another group":    {"kinds: [Pod]", "kinds: [Ingress]", "40: " + workloads + `resources[0].kinds[0]: group "" has no kind Ingress, group "networking.k8s.io" has: name that group`},
	"a kind that is none":        {"kinds: [Pod]", `kinds: ["*"]`, "40: " + workloads + `resources[0].kinds[0]: "*" is no kind: name each kind`},
	"no kinds":                   {"kinds: [Pod]", "kinds: []", "40: " + workloads + "resources[0].kinds: it names no kind"},
	"a group with its version":   {"group: apps,", "group: apps/v1,", "42: " + workloads + `resources[2].group: "apps/v1" holds a version: name the group alone, as in "apps"`},
	"a slip in a group":          {"group: apps, kinds: [Deployment]", "group: batsh, kinds: [Jobx]", "42: " + workloads + `resources[2].kinds[0]: there is no group "batsh": did you mean batch?`},
	"an operation unknown":       {"{logs: view}", "{log: view}", "40: " + workloads + `resources[0].operations.log: there is no operation "log": did you mean logs? Otherwise know them: contact, delete, deploy, evict`},
	"an operation of Demarc's":   {"{logs: view}", "{approve: view}", "40: " + workloads + `resources[0].operations.approve: there is no operation "approve"`},
	"an operation on another": {"- {kinds: [Service]}", "- {kinds: [Service]}\n        - {group: batch, kinds: [Job, CronJob], operations: {restart: operate}}",
		"42: " + workloads + "resources[2].operations.restart: restart is not for Job.batch, but for DaemonSet.apps, Deployment.apps, StatefulSet.apps alone: take it out|" +
			"42: " + workloads + "resources[2].operations.restart: restart is not for CronJob.batch"},
	"an operation on one's own": {"{kinds: [ResourceQuota]}", "{kinds: [ResourceQuota]}\n        - {group: cert-manager.io, kinds: [Certificate], operations: {restart: edit}}",
		"27: " + quotas + "resources[1].operations.restart: restart is not for Certificate.cert-manager.io|27: note"},
	"a mark that anybody sets":    {"label: tier=web", "label: demarc.dev/owner=x", "42: " + workloads + "resources[2].label: demarc.dev/owner is kept from others on AppProject.argoproj.io, Application.argoproj.io, ClusterRole.rbac.authorization.k8s.io, ClusterRoleBinding.rbac.authorization.k8s.io, LimitRange, Namespace, NetworkPolicy.networking.k8s.io, ResourceQuota, RoleBinding.rbac.authorization.k8s.io, ServiceAccount alone, and on Deployment.apps whoever writes it sets it"},
	"a mark that is kept":         {"label: tier=web}", "label: tier=web}\n        - {kinds: [ServiceAccount], label: demarc.dev/owner}\n        - {kinds: [ServiceAccount]}", ""},
	"exceptions of one's own":     {"- {kinds: [Service]}", "- {kinds: [Service]}\n        - {group: demarc.dev, kinds: [GuardrailException], operations: {request: edit}}", "42: " + workloads + "resources[2].kinds[0]: domain workloads is approved by team, and a team would let itself off the platform's guardrails: put GuardrailException into a domain that the platform approves"},
	"an operation of no role":     {"{logs: view}", "{logs: admin}", "40: " + workloads + `resources[0].operations.logs: "admin" is no role: name view, operate, edit or nobody`},
	"a reader of no role":         {"read: view", "read: reader", "40: " + workloads + `resources[0].read: "reader" is no role`},
	"a label that is none":        {"label: tier=web", `label: "a b=c"`, "42: " + workloads + `resources[2].label: "a b=c" is no label, KEY or KEY=VALUE`},
	"a pattern for a name":        {"label: tier=web", "name: web-*", "42: " + workloads + `resources[2].name: "web-*" is no name of an object`},
	"an empty field":              {"[spec.externalIPs]", `[""]`, "27: " + quotas + `resources[1].fields[0]: "" is no path of a field`},
	"a field with brackets":       {"[spec.externalIPs]", `["spec.ports[0]"]`, "27: " + quotas + `resources[1].fields[0]: "spec.ports[0]" is no path of a field`},
	"a field that ends in a dot":  {"[spec.externalIPs]", "[spec.]", "27: " + quotas + `resources[1].fields[0]: "spec." is no path of a field`},
	"a slip in a field":           {"[spec.externalIPs]", "[spec.externalIP]", "27: " + quotas + "resources[1].fields[0]: Service has no field spec.externalIP: did you mean externalIPs? Otherwise take it out"},
	"a field below a text":        {"[spec.externalIPs]", "[spec.type.name]", "27: " + quotas + "resources[1].fields[0]: Service has no field spec.type.name"},
	"a platform's field in lists": {"[spec.externalIPs]", "[spec.ports.nodePort]", "27: " + quotas + "resources[1].fields[0]: spec.ports of Service is a list, and admission cannot keep one field in each of its entries the platform's: name a field above it (spec.ports as a whole)"},
	"a platform's container": {"{kinds: [Service], fields: [spec.externalIPs]}", "{group: apps, kinds: [StatefulSet], fields: [spec.template.spec.containers.resources]}",
		"27: " + quotas + "resources[1].fields[0]: spec.template.spec.containers of StatefulSet is a list|27: warning: " + quotas + "resources[1]: StatefulSet.apps as a whole is in no domain, and roles and admission are made from whole kinds"},
	"a platform's list of Argo CD": {"{kinds: [Service], fields: [spec.externalIPs]}", "{group: argoproj.io, kinds: [Application], fields: [spec.sources.repoURL]}",
		"27: " + quotas + "resources[1].fields[0]: spec.sources of Application is a list|27: warning"},
	"trusted without a reason":  {", reason: emergencies", ", reason: ' '", "13: OwnershipContract default: spec.trusted[0].reason: it is trusted without a reason"},
	"trusted is everything":     {"group: system:masters", `user: "system:*"`, `13: OwnershipContract default: spec.trusted[0]: "system:*" holds '*'`},
	"trusted is everybody":      {"system:masters", "system:authenticated", "13: OwnershipContract default: spec.trusted[0]: system:authenticated is everybody"},
	"trusted is nobody":         {"group: system:masters, ", "", "13: OwnershipContract default: spec.trusted[0]: set exactly one of group, user and serviceAccount"},
	"trusted is two":            {"group: system:masters", "group: a, user: b", "13: OwnershipContract default: spec.trusted[0]: set exactly one"},
	"an account without a name": {"name: velero}", "}", "14: OwnershipContract default: spec.trusted[1].serviceAccount: name both its namespace and its name"},
	"a platform without people": {"groups: [platform-team]\n", "\n", "50: Platform default: spec.team.groups: the contract answers platform (first in domain quotas), and no group of people is the platform's"},
	"a platform out of reach":   {`channel: "#platform", `, "", "52: Platform default: spec.team.contacts: the contract answers platform (first in domain quotas), and nobody can be reached"},
	"a team out of reach":       {`channel: "#payments", `, "", "59: Tenant payments: spec.contacts: the contract answers team (first in domain workloads), and nobody can be reached"},
	"a team of nobody":          {"  contacts: {channel: \"#payments\"", "  access: []\n  contacts: {channel: \"#payments\"", "59: Tenant payments: spec.access: the contract answers team (first in domain workloads), and nobody is of this team"},
	"a channel that is none":    {`"#platform"`, "platform", `52: Platform default: spec.team.contacts.channel: "platform" is no channel`},
	"an owner that is none":     {"@example/payments", "payments team", `59: Tenant payments: spec.contacts.codeOwners: "payments team" is nobody's name in CODEOWNERS`},
	"a decision nobody takes":   {"decisions:\n", "decisions:\n    - {name: spare, how: x}\n", "8: warning: OwnershipContract default: spec.decisions[0]: no domain decides by spare"},
	"a repository nobody uses":  {"{name: apps}", "{name: apps}\n    - {name: spare}", "12: warning: OwnershipContract default: spec.repositories[2]: no domain has a path in spare"},
	"watched and not answered":  {"monitors: shared\n      paged: team", "monitors: team\n      paged: nobody", "33: warning: " + workloads + "paged: the team watches workloads, and nobody is called when it fails"},
	"a path of two":             {"/tenants/}", "/tenants/}\n        - {repository: apps, path: \"/{team}/\"}", "39: warning: " + workloads + "paths[0].path: /{team}/ in apps is in domain quotas too, and there platform approves, here team"},
	"a role in a part":          {"label: tier=web", "label: tier=web, read: nobody", "42: warning: " + workloads + "resources[2]: read and operations count for a kind as a whole alone"},
	"somebody else's kind":      {"{kinds: [ResourceQuota]}", "{kinds: [ResourceQuota]}\n        - {group: cert-manager.io, kinds: [Certificate]}", "27: note: " + quotas + "resources[1].kinds[0]: Certificate.cert-manager.io is no kind of Kubernetes, Argo CD or Demarc"},
	"paged without a channel":   {`channel: "#payments"`, `onCall: "+49 30 1234"`, "59: warning: Tenant payments: spec.contacts.channel: the team is paged and has no channel: alerts for it are sent nowhere"},
	"paged by a hook":           {`"#payments"`, `"https://hooks.slack.com` + `/services/T0000/B0000/XXXX"`, "59: warning: Tenant payments: spec.contacts.channel: the team is paged, and its channel holds a secret, "},
	"paged by a password":       {`"#platform"`, `"https://user:pass@x.example/y"`, "52: warning: Platform default: spec.team.contacts.channel: the platform is paged, and its channel holds a secret, "},
	"paged by a template":       {`"#payments"`, `"#{{.X}}"`, "59: warning: Tenant payments: spec.contacts.channel: the team is paged, and its channel holds {{, which Alertmanager would take for a template: alerts for it are sent nowhere; name another"},
	"paged by no URL":           {`"#payments"`, `"https:// x"`, "59: warning: Tenant payments: spec.contacts.channel: the team is paged, and its channel holds a blank"},
	"approving without a name":  {`, codeOwners: ["@example/platform"]`, "", "52: warning: Platform default: spec.team.contacts.codeOwners: the platform approves changes in Git and has no name there"},
	"a team's part of the platform's": {"label: tier=web}", "label: tier=web}\n        - {kinds: [ResourceQuota], name: own}",
		"43: warning: " + workloads + "resources[3]: ResourceQuota as a whole is the platform's (domain quotas), and admission keeps the team from this part too"},
	"two ways to narrow a kind": {"label: tier=web}", "label: tier=web}\n        - {group: apps, kinds: [Deployment], label: tier=db}", ""},
	"a team's container":        {"label: tier=web", "fields: [spec.template.spec.containers.image]", ""},
}

func TestLint(t *testing.T) {
	small, err := os.ReadFile("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range bad {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(string(small), c.from) {
				t.Fatalf("testdata/small.yaml does not hold %q", c.from)
			}
			got := lint(strings.Replace(string(small), c.from, c.to, 1))
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "|")
			}
			if len(got) != len(want) {
				t.Fatalf("it says %d things, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
			}
			for _, w := range want {
				if !strings.Contains("\n"+strings.Join(got, "\n"), "\nf.yaml:"+w) {
					t.Errorf("it says\n%s\nwant\nf.yaml:%s", strings.Join(got, "\n"), w)
				}
			}
		})
	}
}

// lint is all that is said of a text, but that it is small.
func lint(text string) (said []string) {
	f, found := contract.Parse("f.yaml", []byte(text))
	for _, p := range append(found, f.Lint()...) {
		if !strings.Contains(p.Message, "until one does they fall to unlisted") {
			said = append(said, p.String())
		}
	}
	return said
}

// The small contract is sound; what it leaves out is said in one warning.
func TestUncovered(t *testing.T) {
	small, err := os.ReadFile("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, found := contract.Parse("f.yaml", small)
	found = append(found, f.Lint()...)
	if len(found) != 1 || found[0].Severity != contract.Warning || found[0].Line != 15 || !strings.Contains(found[0].Message, "no domain covers ConfigMap, Secret, ") ||
		strings.Contains(found[0].Message, "covers Pod,") || !strings.HasSuffix(found[0].Message, "fall to unlisted (platform)") {
		t.Errorf("it says %v", found)
	}
}

// A contract without domains is refused, and of parties that are not known nothing is said.
func TestNothing(t *testing.T) {
	found := contract.Lint(v1alpha1.OwnershipContractSpec{}, contract.Parties{})
	if contract.Sound(found) {
		t.Errorf("it says %v", found)
	}
	for _, p := range found {
		if !strings.HasPrefix(p.Object, "OwnershipContract") || p.Line != 0 {
			t.Errorf("it says %v", p)
		}
	}
}

// The shipped contract with people who cannot be reached is no agreement.
func TestShippedNeedsPeople(t *testing.T) {
	var parties contract.Parties
	parties.Platform = &v1alpha1.Platform{}
	parties.Tenants = []v1alpha1.Tenant{{}}
	parties.Tenants[0].Name = "payments"
	var said []string
	for _, p := range contract.Lint(contract.Default().Spec, parties) {
		said = append(said, p.Object+" "+p.Path)
	}
	want := []string{
		"Platform default spec.team.groups", "Platform default spec.team.contacts", "Platform default spec.team.contacts.codeOwners",
		"Tenant payments spec.contacts", "Tenant payments spec.contacts.codeOwners",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// That nobody is behind a party keeps no contract from being taken; what the contract says
// does. Tenants without their Platform are told of.
func TestTaken(t *testing.T) {
	var parties contract.Parties
	parties.Tenants = []v1alpha1.Tenant{{}}
	found := contract.Lint(contract.Default().Spec, parties)
	if contract.Sound(found) || !contract.Taken(found) {
		t.Errorf("it says %v", found)
	}
	last := found[len(found)-1]
	if last.Severity != contract.Note || !last.Party || !strings.HasPrefix(last.String(), "note: Platform default: it is not among the files") {
		t.Errorf("of the Platform it says %v", last)
	}
	if found := contract.Lint(v1alpha1.OwnershipContractSpec{}, parties); contract.Taken(found) {
		t.Errorf("without a domain it says %v", found)
	}
}

// The platform gets alerts of teams that nobody knows, so it is told of a lost channel where
// no answer names it.
func TestPlatformIsPagedForStrangers(t *testing.T) {
	spec := v1alpha1.OwnershipContractSpec{Unlisted: "team", Domains: []v1alpha1.ContractDomain{{Name: "a", Creates: "team", Modifies: "team", Approves: "team", Monitors: "team", Paged: "team", Deletes: "team"}}}
	said := func() (n int) {
		for _, p := range contract.Lint(spec, contract.Parties{Platform: &v1alpha1.Platform{}}) {
			if p.Path == "spec.team.contacts.channel" {
				n++
			}
		}
		return n
	}
	if said() != 1 {
		t.Error("it says nothing of the platform's channel")
	}
	spec.Unlisted, spec.Domains[0].Paged = "nobody", "nobody"
	if said() != 0 {
		t.Error("nobody is paged, and it warns of a channel")
	}
}
