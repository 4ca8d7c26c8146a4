package v1alpha1_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/crd"
	"demarc.dev/demarc/sandbox/programs"
)

var api client.Client

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run brings up a real API server with the CRDs.
func run(m *testing.M) int {
	set, err := programs.Find(context.Background())
	if err != nil {
		println(err.Error())
		return 1
	}
	env := &envtest.Environment{
		BinaryAssetsDirectory: set.BinDir,
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "charts", "demarc", "crds")},
		// A loaded machine takes its time.
		ControlPlaneStartTimeout: 3 * time.Minute,
		CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: 3 * time.Minute},
	}
	config, err := env.Start()
	if err != nil {
		println("start a real API server (build the programs with make test):", err.Error())
		return 1
	}
	defer func() { _ = env.Stop() }()
	if api, err = client.New(config, client.Options{}); err != nil {
		println(err.Error())
		return 1
	}
	return m.Run()
}

// object parses YAML; the API version is added.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte("apiVersion: demarc.dev/v1alpha1\n"+text), &u.Object); err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return u
}

// TestCreate tries every rule with one object that passes and one that does not.
func TestCreate(t *testing.T) {
	claim := func(name, spec string) string {
		return "kind: ServiceClaim\nmetadata: {name: " + name + "}\nspec: {" + spec + "}"
	}
	tenant := func(name, spec string) string {
		return "kind: Tenant\nmetadata: {name: " + name + "}\nspec: {" + spec + "}"
	}
	grant := func(name, spec string) string {
		return "kind: AccessGrant\nmetadata: {name: " + name + "}\nspec: {team: t, role: operate, reason: incident, requestedBy: ana, " + spec + "}"
	}
	raise := func(spec string) string {
		return "kind: BudgetRequest\nmetadata: {name: b}\nspec: {team: t, reason: sale, requestedBy: ana, " + spec + "}"
	}
	exception := func(spec string) string {
		return "kind: GuardrailException\nmetadata: {name: e}\nspec: {team: t, reason: mirror, requestedBy: ana, " + spec + "}"
	}
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		name, object string
		refused      string // part of the message; empty where it passes
	}{
		{"the seed's tenant", tenant("payments", `resources: {cpu: "2", memory: 4Gi, pods: 10}`), ""},
		{"the seed's claim", claim("payments", `team: payments, image: "nginx:1.27-alpine", replicas: 2`), ""},
		{"a tenant of nothing", "kind: Tenant\nmetadata: {name: bare}", ""},

		{"name of 58", tenant(long(58), ""), ""},
		{"name of 59", tenant(long(59), ""), "at most 58"},
		{"name with a dot", tenant("pay.ments", ""), "becomes the namespace team-<name>"},
		{"reserved name", tenant("platform", ""), "reserved"},

		{"cpu as integer", tenant("i", "resources: {cpu: 2}"), ""},
		{"cpu as negative integer", tenant("i", "resources: {cpu: -1}"), "cpu must be a quantity of 0 or more"},
		{"cpu as negative string", tenant("i", `resources: {cpu: "-500m"}`), "cpu must be a quantity of 0 or more"},
		{"cpu unparsable", tenant("i", "resources: {cpu: two}"), "cpu must be a quantity"},
		{"cpu as unquoted fraction", tenant("i", "resources: {cpu: 1.5}"), "cpu"},
		{"cpu as quoted fraction", tenant("q", `resources: {cpu: "1.5"}`), ""},
		{"memory unparsable", tenant("i", "resources: {memory: 4 Gigs}"), "memory must be a quantity"},
		{"memory negative", tenant("i", "resources: {memory: -4Gi}"), "memory must be a quantity"},
		{"memory as integer", tenant("m", "resources: {memory: 1073741824}"), ""},
		{"pods negative", tenant("i", "resources: {pods: -1}"), "pods must be a whole number of 0 or more"},
		{"pods zero", tenant("p", "resources: {pods: 0}"), ""},
		{"as much as there can be", tenant("most", `resources: {cpu: 1M, memory: 1Ei, pods: 1000000}`), ""},
		{"cpu that no cluster has", tenant("i", `resources: {cpu: "1e30"}`), "cpu must be at most 1M"},
		{"cpu that no cluster has, as integer", tenant("i", `resources: {cpu: 1000001}`), "cpu must be at most 1M"},
		{"memory that no cluster has", tenant("i", `resources: {memory: 2Ei}`), "memory must be at most 1Ei"},
		{"pods that no cluster has", tenant("i", `resources: {pods: 999999999}`), "pods must be at most 1000000"},

		{"access of nobody", tenant("nobodys", "access: []"), ""},
		{"access by group", tenant("g", `access: [{group: "/corp/payments", role: view}]`), ""},
		{"access by two", tenant("i", "access: [{group: a, user: b, role: view}]"), "exactly one of group, user and serviceAccount"},
		{"access by none", tenant("i", "access: [{role: view}]"), "exactly one of group, user and serviceAccount"},
		{"access by a name with spaces in it", tenant("ann", `access: [{user: "Ann Smith", role: view}]`), ""},
		{"access by a blank", tenant("i", `access: [{user: " ", role: view}]`), "not beginning or ending with a space"},
		{"access by what cannot be seen", tenant("i", `access: [{group: "dev\u200b", role: view}]`), "must be a name as the API server knows it"},
		{"access by an account", tenant("account", `access: [{serviceAccount: {namespace: ci, name: build.v2}, role: view}]`), ""},
		{"access by an account of a path", tenant("i", `access: [{serviceAccount: {namespace: ci, name: a/b}, role: view}]`), "must be the name of a ServiceAccount"},
		{"access by an account of no namespace", tenant("i", `access: [{serviceAccount: {namespace: "ci/x", name: a}, role: view}]`), "must be the name of a namespace"},
		{"access as admin", tenant("i", "access: [{group: a, role: admin}]"), `Unsupported value: "admin"`},
		{"source", tenant("s", `sources: [{repoURL: "https://git.example/payments.git"}]`), ""},
		{"source with a wildcard", tenant("i", `sources: [{repoURL: "https://git.example/*"}]`), "whole URL of one repository"},
		{"source with a wildcard for one letter", tenant("i", `sources: [{repoURL: "https://git.example/payments?git"}]`), "whole URL of one repository"},
		{"source with a class of letters", tenant("i", `sources: [{repoURL: "https://git.example/[a-z]"}]`), "whole URL of one repository"},
		{"source with alternatives", tenant("i", `sources: [{repoURL: "https://git.example/{payments,orders}"}]`), "without any of '*', '?', '[', '{'"},
		{"source that is a denial", tenant("i", `sources: [{repoURL: "!https://git.example/orders"}]`), "whole URL of one repository"},
		{"adopt", tenant("adopting", "adopt: true"), ""},
		{"adopt that is no switch", tenant("i", `adopt: "yes"`), "must be of type boolean"},

		{"claim of 53", claim(long(53), "team: t, image: nginx"), ""},
		{"claim of 54", claim(long(54), "team: t, image: nginx"), "at most 53"},
		{"claim beginning with a digit", claim("1a", "team: t, image: nginx"), "beginning with a letter"},
		{"empty team", claim("i", `team: "", image: nginx`), "team must not be empty"},
		{"no team", claim("i", "image: nginx"), "spec.team: Required value"},
		{"team that is no name", claim("i", "team: Pay_ments, image: nginx"), "team must be the name of a Tenant"},
		{"negative replicas", claim("i", "team: t, image: nginx, replicas: -1"), "replicas must be 0 or more"},
		{"zero replicas", claim("zero", "team: t, image: nginx, replicas: 0"), ""},
		{"neither image nor source", claim("i", "team: t"), "exactly one of image"},
		{"both image and source", claim("i", "team: t, image: nginx, source: {repoURL: 'https://git.example/a'}"), "exactly one of image"},
		{"source", claim("sourced", "team: t, source: {repoURL: 'https://git.example/a'}"), ""},
		{"source with replicas", claim("i", "team: t, replicas: 2, source: {repoURL: 'https://git.example/a'}"), "belong in the team's own manifests"},
		{"port", claim("port", "team: t, image: nginx, port: 8080"), ""},
		{"port 0", claim("i", "team: t, image: nginx, port: 0"), "port must be between 1 and 65535"},
		{"budget in a claim", claim("i", "team: t, image: nginx, resources: {cpu: 2}"), "the budget belongs to the team"},
		{"empty resources in a claim", claim("res", "team: t, image: nginx, resources: {}"), ""},

		{"env", claim("env", "team: t, image: nginx, env: [{name: A, value: b}, {name: _B2, value: '$(A)'}, {name: EMPTY}, "+
			"{name: S, valueFrom: {secretKeyRef: {name: db, key: password}}}, {name: C, valueFrom: {configMapKeyRef: {name: settings, key: a.b}}}]"), ""},
		{"env of value and reference", claim("i", "team: t, image: nginx, env: [{name: A, value: b, valueFrom: {secretKeyRef: {name: db, key: a}}}]"), "set value or valueFrom, not both"},
		{"env of two references", claim("i", "team: t, image: nginx, env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b}, configMapKeyRef: {name: a, key: b}}}]"), "exactly one of secretKeyRef and configMapKeyRef"},
		{"env of no reference", claim("i", "team: t, image: nginx, env: [{name: A, valueFrom: {}}]"), "exactly one of secretKeyRef and configMapKeyRef"},
		{"env without a key", claim("i", "team: t, image: nginx, env: [{name: A, valueFrom: {secretKeyRef: {name: a}}}]"), "key: Required value"},
		{"env of a wrong name", claim("i", "team: t, image: nginx, env: [{name: 2A, value: b}]"), "must be the name of an environment variable"},
		{"env that says it twice", claim("i", "team: t, image: nginx, env: [{name: A, value: b}, {name: A, value: c}]"), "Duplicate value"},
		{"env of 101", claim("i", "team: t, image: nginx, env: ["+variables(101)+"]"), "must have at most 100 items"},
		{"env of 100", claim("many", "team: t, image: nginx, env: ["+variables(100)+"]"), ""},
		{"env too long", claim("i", "team: t, image: nginx, env: [{name: A, value: "+long(4097)+"}]"), "may not be more than 4096"},
		{"source with env", claim("i", "team: t, env: [{name: A, value: b}], source: {repoURL: 'https://git.example/a'}"), "belong in the team's own manifests"},

		{"image with port and digest", claim("img", "team: t, image: 'registry.example:5000/shop/api@sha256:"+long(64)+"'"), ""},
		{"image with capitals in the path", claim("i", "team: t, image: 'registry.example/Shop/api:1'"), "image must be an image reference"},
		{"image with a space", claim("i", "team: t, image: 'nginx latest'"), "image must be an image reference"},
		{"image that is a URL", claim("i", "team: t, image: 'https://registry.example/nginx'"), "image must be an image reference"},
		{"image empty", claim("i", "team: t, image: ''"), "image must be an image reference"},
		{"image with an empty tag", claim("i", "team: t, image: 'nginx:'"), "image must be an image reference"},

		{"the platform", "kind: Platform\nmetadata: {name: default}\nspec: {chart: {repoURL: 'file:///p', targetRevision: v1}}", ""},
		{"network", "kind: Platform\nmetadata: {name: default}\nspec: {network: {ingressNamespaces: [ingress-nginx], monitoringNamespaces: [monitoring]}}", ""},
		{"network of no namespace", "kind: Platform\nmetadata: {name: default}\nspec: {network: {ingressNamespaces: [Ingress]}}", "each must be the name of a namespace"},
		{"monitoring of no namespace", "kind: Platform\nmetadata: {name: default}\nspec: {network: {monitoringNamespaces: ['*']}}", "each must be the name of a namespace"},
		{"a second platform", "kind: Platform\nmetadata: {name: other}", "its name is default"},
		{"chart at a branch", "kind: Platform\nmetadata: {name: default}\nspec: {chart: {repoURL: 'file:///p', targetRevision: main}}", "one tag or one commit"},
		{"chart at a range", "kind: Platform\nmetadata: {name: default}\nspec: {chart: {repoURL: 'file:///p', targetRevision: 1.x.*}}", "one tag or one commit"},
		{"a Prometheus", "kind: Platform\nmetadata: {name: default}\nspec: {prometheus: {url: 'https://prometheus.example:9090/tenant-a'}}", ""},
		{"a Prometheus in the cluster", "kind: Platform\nmetadata: {name: default}\nspec: {prometheus: {url: 'http://prometheus.monitoring.svc:9090'}}", ""},
		{"a Prometheus by its long name", "kind: Platform\nmetadata: {name: default}\nspec: {prometheus: {url: 'http://prometheus-operated.monitoring.svc.cluster.local:9090/'}}", ""},
		{"a Prometheus elsewhere in clear", "kind: Platform\nmetadata: {name: default}\nspec: {prometheus: {url: 'http://prometheus.example:9090'}}", "must be an https URL, or http to a Service"},
		{"a Prometheus with a password", "kind: Platform\nmetadata: {name: default}\nspec: {prometheus: {url: 'https://kim:open@prometheus.example'}}", "without user, query and fragment"},
		{"hours of access", "kind: Platform\nmetadata: {name: default}\nspec: {access: {maxHours: 4}}", ""},
		{"access for ever", "kind: Platform\nmetadata: {name: default}\nspec: {access: {maxHours: 169}}", "between 1 and 168 hours"},

		{"a grant", grant("g", "user: ana, duration: 1h30m"), ""},
		{"a grant as Go writes durations", grant("g", "user: ana, duration: 2h0m0s"), ""},
		{"a grant for an account", grant("g", "serviceAccount: {namespace: ci, name: deploy}, duration: 2h"), ""},
		{"a grant for two", grant("g", "user: ana, group: dev, duration: 2h"), "exactly one of user, group and serviceAccount"},
		{"a grant for nobody", grant("g", "duration: 2h"), "exactly one of user, group and serviceAccount"},
		{"a grant for everybody", grant("g", "group: 'system:authenticated', duration: 2h"), "system: groups are everybody"},
		{"a grant for Kubernetes itself", grant("g", "user: 'system:apiserver', duration: 2h"), "system: is Kubernetes' own"},
		{"a grant of no duration", grant("g", "user: ana, duration: soon"), "must be between 1m and 168h"},
		{"a grant of none", grant("g", "user: ana, duration: 0m"), "must be between 1m and 168h"},
		{"a grant of weeks", grant("g", "user: ana, duration: 169h"), "must be between 1m and 168h"},
		{"a grant in seconds", grant("g", "user: ana, duration: 90s"), "must be between 1m and 168h"},
		{"a grant without a reason", strings.Replace(grant("g", "user: ana, duration: 2h"), "reason: incident", "reason: ' '", 1), "say why"},
		{"a grant of another role", strings.Replace(grant("g", "user: ana, duration: 2h"), "role: operate", "role: cluster-admin", 1), `Unsupported value: "cluster-admin"`},
		{"a grant of a name with a dot", grant("g.h", "user: ana, duration: 2h"), "becomes that of the RoleBinding"},

		{"a grant for a name with spaces in it", grant("g", `user: "Ann Smith", duration: 2h`), ""},
		{"a grant for a blank", grant("g", `user: " ", duration: 2h`), "not beginning or ending with a space"},
		{"a grant for a group with a space before it", grant("g", `group: " dev", duration: 2h`), "not beginning or ending with a space"},
		{"a grant for an account of a path", grant("g", "serviceAccount: {namespace: a, name: b/c}, duration: 2h"), "must be the name of a ServiceAccount"},
		{"a reason in any language", strings.Replace(grant("g", "user: ana, duration: 2h"), "reason: incident", `reason: "инцидент 7: می\u200cشود 👩\u200d💻"`, 1), ""},

		{"a budget request", raise("resources: {cpu: 4, pods: 20}"), ""},
		{"a budget request for hours", raise("resources: {cpu: 4}, duration: 72h"), ""},
		{"a budget request until", raise("resources: {memory: 8Gi}, until: '2099-01-01T00:00:00Z'"), ""},
		{"a budget request of two ends", raise("resources: {cpu: 4}, duration: 72h, until: '2099-01-01T00:00:00Z'"), "one of duration and until"},
		{"a budget request for nothing", raise("resources: {}"), "at least one of cpu, memory and pods"},
		{"a budget request for what no cluster has", raise(`resources: {cpu: "1e30"}`), "cpu must be at most 1M"},
		{"a budget request for pods that no cluster has", raise("resources: {pods: 999999999}"), "pods must be at most 1000000"},
		{"a budget request that does not parse", raise("resources: {cpu: lots}"), "cpu must be a quantity"},
		{"a budget request of years", raise("resources: {cpu: 4}, duration: 9000h"), "must be between 1m and 8784h"},

		{"an exception", exception("rules: [image-registry], expires: '2099-01-01T00:00:00Z'"), ""},
		{"an exception for some objects", exception("rules: [image-registry], expires: '2099-01-01T00:00:00Z', selector: {matchLabels: {app: db}}"), ""},
		{"an exception for objects of no label", exception("rules: [image-registry], expires: '2099-01-01T00:00:00Z', selector: {matchLabels: {}}"), "should have at least 1 properties"},
		{"an exception without an end", exception("rules: [image-registry]"), "spec.expires: Required value"},
		{"an exception of no rule", exception("rules: [], expires: '2099-01-01T00:00:00Z'"), "should have at least 1 items"},
		{"an exception of one rule twice", exception("rules: [a, a], expires: '2099-01-01T00:00:00Z'"), "Duplicate value"},
		{"an exception of a team in capitals", strings.Replace(exception("rules: [a], expires: '2099-01-01T00:00:00Z'"), "team: t", "team: T", 1), "must be the name of a Tenant"},
		{"a set", "kind: GuardrailSet\nmetadata: {name: deny}\nspec: {rules: [image-tag], except: \"image-tag/t\\n\"}", ""},
		{"a set of another name", "kind: GuardrailSet\nmetadata: {name: refuse}\nspec: {}", "there are these sets alone: deny, warn and audit"},
		{"a mode that there is not", "kind: Platform\nmetadata: {name: default}\nspec: {guardrails: {rules: [{id: image-tag, mode: refuse}]}}", `Unsupported value: "refuse"`},
		{"a rule twice", "kind: Platform\nmetadata: {name: default}\nspec: {guardrails: {rules: [{id: a, mode: deny}, {id: a, mode: off}]}}", "Duplicate value"},
		{"a profile that there is not", "kind: Platform\nmetadata: {name: default}\nspec: {guardrails: {profile: lax}}", `Unsupported value: "lax"`},
		{"a domain", tenant("hosts", "domains: [shop.example]"), ""},
		{"a domain with a wildcard", tenant("i", "domains: ['*.shop.example']"), "without '*'"},

		{"defaults that do not parse", "kind: Platform\nmetadata: {name: default}\nspec: {containerDefaults: {memoryLimit: lots}}", "memoryLimit must be a quantity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := object(t, c.object)
			offline(t, u, c.refused)
			err := api.Create(context.Background(), u)
			if err == nil {
				defer func() {
					if err := api.Delete(context.Background(), u); err != nil {
						t.Fatal(err)
					}
				}()
			}
			check(t, err, c.refused)
		})
	}
}

// variables are n of the environment.
func variables(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("{name: A%d, value: b}", i))
	}
	return strings.Join(list, ", ")
}

func check(t *testing.T, err error, refused string) {
	t.Helper()
	switch {
	case refused == "" && err != nil:
		t.Fatalf("refused: %v", err)
	case refused != "" && err == nil:
		t.Fatalf("passed; want a refusal with %q", refused)
	case refused != "" && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), refused)):
		t.Fatalf("refused with %v\nwant it to say %q", err, refused)
	}
}

// offline asks the same without the API server: what it refuses is refused, in its words.
func offline(t *testing.T, u *unstructured.Unstructured, refused string) {
	t.Helper()
	found, err := crd.Create(u)
	switch {
	case err != nil:
		t.Fatal(err)
	case refused == "" && len(found) > 0:
		t.Errorf("offline it is refused: %v", found.ToAggregate())
	case refused != "" && (len(found) == 0 || !strings.Contains(found.ToAggregate().Error(), refused)):
		t.Errorf("offline: %v\nwant it to say %q", found.ToAggregate(), refused)
	}
}

// TestReservedNames holds the rule against the list in Go.
func TestReservedNames(t *testing.T) {
	for _, name := range v1alpha1.ReservedTeams {
		check(t, api.Create(context.Background(), object(t, "kind: Tenant\nmetadata: {name: "+name+"}")), "this name is reserved ("+strings.Join(v1alpha1.ReservedTeams, ", ")+")")
	}
}

// TestTeamNeverChanges: nobody takes another team's claim over by its name.
func TestTeamNeverChanges(t *testing.T) {
	ctx := context.Background()
	u := object(t, "kind: ServiceClaim\nmetadata: {name: fixed}\nspec: {team: a, image: nginx}")
	if err := api.Create(ctx, u); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(ctx, u) })
	if err := unstructured.SetNestedField(u.Object, "b", "spec", "team"); err != nil {
		t.Fatal(err)
	}
	check(t, api.Update(ctx, u), "team cannot be changed")
}

// TestArgoCDNamespaceStays: moving it would leave Applications behind.
func TestArgoCDNamespaceStays(t *testing.T) {
	ctx := context.Background()
	u := object(t, "kind: Platform\nmetadata: {name: default}\nspec: {podSecurity: baseline}")
	if err := api.Create(ctx, u); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(ctx, u) })
	set := func(namespace string) error {
		if err := unstructured.SetNestedField(u.Object, namespace, "spec", "argocd", "namespace"); err != nil {
			t.Fatal(err)
		}
		return api.Update(ctx, u)
	}
	check(t, set("argocd"), "")
	check(t, set("gitops"), "argocd.namespace cannot be changed")
}

// TestUnknownField: strict clients are refused in the server's own words.
func TestUnknownField(t *testing.T) {
	u := object(t, "kind: ServiceClaim\nmetadata: {name: strict}\nspec: {team: a, image: nginx, replica: 2}")
	err := api.Create(context.Background(), u, client.FieldValidation("Strict"))
	if err == nil || !strings.Contains(err.Error(), `unknown field "spec.replica"`) {
		t.Fatalf("got %v; want the unknown field named", err)
	}
}

// TestAskedStays: what was asked for is not changed, and an approval or a revocation is
// given once.
func TestAskedStays(t *testing.T) {
	ctx := context.Background()
	for asked, longer := range map[string]string{
		"kind: AccessGrant\nmetadata: {name: stays}\nspec: {team: t, role: view, reason: r, requestedBy: ana, user: ana, duration: 2h}":                             `{"duration":"4h"}`,
		"kind: BudgetRequest\nmetadata: {name: stays}\nspec: {team: t, reason: r, requestedBy: ana, resources: {cpu: 4}, duration: 2h}":                             `{"duration":"4h"}`,
		"kind: GuardrailException\nmetadata: {name: stays}\nspec: {team: t, reason: r, requestedBy: ana, rules: [image-tag], expires: '2098-01-01T00:00:00Z'}":      `{"expires":"2099-01-01T00:00:00Z"}`,
		"kind: GuardrailException\nmetadata: {name: stays}\nspec: {team: t, reason: r, requestedBy: ana, rules: [image-registry], expires: '2098-01-01T00:00:00Z'}": `{"rules":["image-registry","image-tag"]}`,
		"kind: GuardrailException\nmetadata: {name: stays}\nspec: {team: t, reason: why, requestedBy: ana, rules: [image-tag], expires: '2098-01-01T00:00:00Z'}":    `{"selector":{"matchLabels":{"a":"b"}}}`,
	} {
		for _, edit := range []struct{ first, then, refused string }{
			{"", longer, "ask anew with another"},
			{"", `{"team":"u"}`, "ask anew with another"},
			{"", `{"reason":"other"}`, "ask anew with another"},
			{"", `{"requestedBy":"bo"}`, "ask anew with another"},
			{"", `{"approval":{"by":"bo"}}`, ""},
			{`{"approval":{"by":"bo"}}`, `{"approval":{"by":"cy"}}`, "an approval stays"},
			{`{"approval":{"by":"bo"}}`, `{"approval":null}`, "an approval stays"},
			{`{"approval":{"by":"bo"}}`, `{"revocation":{"by":"bo"}}`, ""},
			{`{"revocation":{"by":"bo"}}`, `{"revocation":null}`, "a revocation stays"},
			{`{"revocation":{"by":"bo"}}`, `{"approval":{"by":"cy"}}`, "is not approved any more"},
			{"", `{"approval":{"by":"bo","note":"one\ntwo"}}`, "must be one line of text"},
			{"", `{"approval":{"by":"bo "}}`, "not beginning or ending with a space"},
			{"", `{"revocation":{"by":"bo","reason":"a\u202eb"}}`, "must be one line of text"},
		} {
			u := object(t, asked)
			if err := api.Create(ctx, u); err != nil {
				t.Fatal(err)
			}
			var err error
			for _, spec := range []string{edit.first, edit.then} {
				if spec != "" {
					err = api.Patch(ctx, u, client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`)))
				}
			}
			if err == nil != (edit.refused == "") || err != nil && !strings.Contains(err.Error(), edit.refused) {
				t.Errorf("%s: %s, then %s: %v, want %q", u.GetKind(), edit.first, edit.then, err, edit.refused)
			}
			if err := api.Delete(ctx, u); err != nil {
				t.Fatal(err)
			}
		}
	}
}
