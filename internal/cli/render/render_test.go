package render

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

var update = flag.Bool("update", false, "write the golden files anew")

// demarcRender runs the verb as its command line would.
func demarcRender(stdin string, args ...string) (stdout, stderr string, err error) {
	var out, errOut bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(stdin), Out: &out, ErrOut: &errOut})
	cmd := NewCmdRender(f, nil)
	cmd.SetArgs(args)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.Execute()
	return out.String(), errOut.String(), err
}

func TestGolden(t *testing.T) {
	for golden, args := range map[string][]string{
		"testdata/team.golden":                  {"-f", "testdata/team.yaml"},
		"testdata/team-no-impersonation.golden": {"-f", "testdata", "--impersonation=false"},
	} {
		t.Run(golden, func(t *testing.T) {
			got, note, err := demarcRender("", args...)
			if err != nil {
				t.Fatal(err)
			}
			if want := "note: one object is not Demarc's and is passed over: 1 Deployment\n"; note != want {
				t.Errorf("the note is %q, want %q", note, want)
			}
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
				t.Errorf("%s differs (-want +got); if that is meant: go test ./internal/cli/render -update\n%s", golden, diff)
			}
		})
	}
}

// The order of documents, the number of files and their form make no difference.
func TestOrderMakesNoDifference(t *testing.T) {
	text, err := os.ReadFile("testdata/team.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := demarcRender(string(text), "-f", "-")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n---\n")
	dir := t.TempDir()
	args := []string{}
	for i := len(parts) - 1; i >= 0; i-- {
		file := dir + "/" + string(rune('a'+i)) + ".yaml"
		if err := os.WriteFile(file, []byte(parts[i]), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-f", file)
	}
	got, _, err := demarcRender("", args...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

const platform = "apiVersion: demarc.dev/v1alpha1\nkind: Platform\nmetadata: {name: default}\nspec: {chart: {repoURL: r, targetRevision: v1}}\n---\n"

func object(kind, name, spec string) string {
	return platform + "apiVersion: demarc.dev/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: {" + spec + "}\n"
}

// What cannot be rendered is an error that says where and why, and nothing is printed.
func TestWrong(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"a budget that is none":     {object("Tenant", "t", "resources: {cpu: 2x}"), `Tenant t: spec.resources.cpu: "2x" is not a quantity such as 2, 500m or 4Gi`},
		"a budget below nothing":    {object("Tenant", "t", "resources: {memory: -1Gi, pods: -1}"), `spec.resources.memory: "-1Gi" is negative`},
		"pods below nothing":        {object("Tenant", "t", "resources: {pods: -1}"), "spec.resources.pods: it must be 0 or more"},
		"a fraction without quotes": {object("Tenant", "t", "resources: {cpu: 1.5}"), "spec.resources.cpu: number 1.5 is a fraction: write it as text, in quotes"},
		"a role that is none":       {object("Tenant", "t", "access: [{group: g, role: admin}]"), `spec.access[0].role: "admin" is no role: it is view, operate or edit`},
		"a subject of no kind":      {object("Tenant", "t", "access: [{role: view}]"), "spec.access[0]: set exactly one of group, user and serviceAccount"},
		"a subject of two kinds":    {object("Tenant", "t", "access: [{role: view, user: u, group: g}]"), "spec.access[0]: set exactly one of group, user and serviceAccount"},
		"a tenant without a name":   {strings.ReplaceAll(object("Tenant", "t", ""), "{name: t}", "{}"), "metadata.name: the Tenant has no name"},
		"a claim of nobody":         {object("ServiceClaim", "c", "image: x"), "ServiceClaim c: spec.team: name the Tenant"},
		"a claim of nothing":        {object("ServiceClaim", "c", "team: t"), "spec: set exactly one of image and source"},
		"a claim of two things":     {object("ServiceClaim", "c", "team: t, image: x, source: {repoURL: r}"), "spec: set exactly one of image and source"},
		"replicas of a source":      {object("ServiceClaim", "c", "team: t, source: {repoURL: r}, replicas: 2"), "spec.source: with source, replicas, port and env belong"},
		"replicas below nothing":    {object("ServiceClaim", "c", "team: t, image: x, replicas: -1"), "spec.replicas: it must be 0 or more"},
		"a budget in a claim":       {object("ServiceClaim", "c", "team: t, image: x, resources: {cpu: 1}"), "spec.resources: the budget belongs to the team"},
		"a value twice":             {object("ServiceClaim", "c", "team: t, image: x, env: [{name: A, value: b, valueFrom: {secretKeyRef: {name: s, key: k}}}]"), "spec.env[0]: set value or valueFrom, not both"},
		"a value from nowhere":      {object("ServiceClaim", "c", "team: t, image: x, env: [{name: A, valueFrom: {}}]"), "spec.env[0].valueFrom: set exactly one of"},
		"a ceiling that is none":    {strings.ReplaceAll(object("Tenant", "t", ""), "spec: {chart:", "spec: {ceiling: {cpu: much}, chart:"), "Platform default: spec.ceiling.cpu: \"much\" is not a quantity"},
		"a default that is none":    {strings.ReplaceAll(object("Tenant", "t", ""), "spec: {chart:", "spec: {containerDefaults: {memoryLimit: much}, chart:"), "spec.containerDefaults.memoryLimit: \"much\" is not"},
		"another Platform":          {strings.ReplaceAll(object("Tenant", "t", ""), "{name: default}", "{name: second}"), "metadata.name: there is one Platform and its name is default"},
		"twice":                     {object("Tenant", "t", "") + "---\n" + object("Tenant", "t", ""), "Tenant t: it stands in standard input too, line 6: one of the two is to go"},
		"a field that is not there": {object("Tenant", "t", "resource: {}"), "standard input:9: document 2: Tenant t: spec.resource: there is no such field"},
		"a rule of the definition":  {object("ServiceClaim", "c", "team: t, image: x, kind: worker, port: 80"), "standard input:9: document 2: ServiceClaim c: spec: only the kinds service and stateful have ports"},
		"a rule of a field":         {object("ServiceClaim", "c", "team: t, image: x, port: 80,\n  expose: {host: Shop.example}"), "standard input:10: document 2: ServiceClaim c: spec.expose.host: must be the whole name of a host"},
		"a list that says it twice": {object("ServiceClaim", "c", "team: t, image: x, env: [{name: A}, {name: A}]"), "spec.env[1]"},
		"a kind that is not there":  {object("Flow", "f", ""), "kind: Demarc has no kind Flow: it has Platform, Tenant and ServiceClaim"},
		"another version":           {strings.ReplaceAll(object("Tenant", "t", ""), "v1alpha1", "v2"), "apiVersion: demarc.dev/v2 is not known here: this version reads demarc.dev/v1alpha1"},
		"nothing of Demarc":         {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}", "there is no Tenant and no ServiceClaim in what was read"},
		"no chart":                  {strings.TrimPrefix(object("ServiceClaim", "c", "team: t, image: x"), platform), "and -f that file"},
		"a Platform without chart":  {strings.ReplaceAll(object("ServiceClaim", "c", "team: t, image: x"), "chart: {repoURL: r, targetRevision: v1}", ""), "Next: set spec.chart of the Platform"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out, _, err := demarcRender(c.text, "-f", "-")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v\nwant    %s", err, c.want)
			}
			if exit.Code(err) != exit.Unknown {
				t.Errorf("it ends with %d, want %d", exit.Code(err), exit.Unknown)
			}
			if out != "" {
				t.Errorf("it prints %q all the same", out)
			}
		})
	}
}

// What the paved road brings is rendered by its chart, or by the platform's own.
func TestDelivered(t *testing.T) {
	text := strings.TrimPrefix(object("ServiceClaim", "web", "team: shop, image: 'nginx:1', port: 80, expose: {host: www.shop.example}"), platform) +
		"---\n" + strings.TrimPrefix(object("ServiceClaim", "own", "team: shop, source: {repoURL: r}"), platform)
	out, _, err := demarcRender(text, "-f", "-", "--delivered")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kind: Deployment\n", "kind: Service\n", "kind: Ingress\n", "  - host: www.shop.example\n", "  namespace: team-shop\n", "name: shop.own\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "name: shop.web\n") {
		t.Errorf("it prints the Application too:\n%s", out)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Chart.yaml":            "apiVersion: v2\nname: own\nversion: 1.0.0\n",
		"templates/thing.yaml":  "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: {{ .Values.claim }}-{{ .Values.port }}}\n",
		"templates/wrong.yaml":  "{{ if .Values.wrong }}{{ fail \"no\" }}{{ end }}",
		"values.schema.json":    `{"properties": {"image": {"pattern": "^nginx:"}}}`,
		"templates/secret.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
	} {
		if err := os.MkdirAll(dir+"/templates", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, _, err = demarcRender(text, "-f", "-", "--chart", dir)
	if err != nil || !strings.Contains(out, "kind: Thing\nmetadata:\n  name: web-80\n") || !strings.Contains(out, "  name: x\n  namespace: team-shop\n") {
		t.Errorf("%v\n%s", err, out)
	}
	_, _, err = demarcRender(strings.ReplaceAll(text, "nginx:1", "redis:1"), "-f", "-", "--chart", dir)
	if err == nil || !strings.Contains(err.Error(), "standard input:1: document 1: ServiceClaim web: chart own: values don't meet") {
		t.Errorf("a value that the chart refuses: %v", err)
	}
}

// A host is judged as the cluster would, as far as the files say.
func TestHosts(t *testing.T) {
	tenants := "---\n" + strings.TrimPrefix(object("Tenant", "shop", "domains: [shop.example]"), platform)
	claim := func(name, host string) string {
		return "---\n" + strings.TrimPrefix(object("ServiceClaim", name, "team: shop, image: x, port: 80, expose: {"+host+"}"), platform)
	}
	for name, c := range map[string]struct{ text, want string }{
		"its own":               {platform + claim("a", "host: a.shop.example") + tenants, ""},
		"a team not among them": {platform + claim("a", "host: a.blog.example"), ""},
		"another team's":        {platform + claim("a", "host: a.blog.example") + tenants, "spec: a.blog.example is below none of the domains of team shop (shop.example) (HostNotAllowed)"},
		"another claim's":       {platform + claim("a", "host: a.shop.example") + claim("b", "host: a.shop.example") + tenants, "ServiceClaim b: spec: a.shop.example belongs to ServiceClaim a of team shop (HostTaken)"},
		"none":                  {platform + claim("a", "") + tenants, "expose names no host"},
		"no store":              {platform + "---\n" + strings.TrimPrefix(object("ServiceClaim", "c", "team: t, image: x, secrets: [{name: a, from: b}]"), platform), "(StoreNotConfigured)"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := demarcRender(c.text, "-f", "-")
			switch {
			case c.want == "" && (err != nil || out == ""):
				t.Errorf("%v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || out != ""):
				t.Errorf("it says %v\nwant    %s", err, c.want)
			}
		})
	}
}

func TestNoFile(t *testing.T) {
	if _, _, err := demarcRender(""); err == nil || !strings.Contains(err.Error(), "name a file with -f") {
		t.Errorf("it says %v", err)
	}
}

// What looks like a secret is warned of by its place and never printed there.
func TestSecrets(t *testing.T) {
	text := object("ServiceClaim", "c", "team: t, image: x,\n  env: [{name: LEVEL, value: info},\n  {name: DB_PASSWORD, value: open-sesame}]")
	out, warned, err := demarcRender(text, "-f", "-")
	if exit.Code(err) != exit.No || exit.Text(err) != "" {
		t.Errorf("it ends with %v", err)
	}
	want := "warning: standard input:11: document 2: ServiceClaim c: spec.env[DB_PASSWORD]: it looks like a secret (env-name), and claims can be read by every team's people\n" +
		"Next: put it into a Secret in the team's namespace and name that in valueFrom\n"
	if diff := cmp.Diff(want, warned); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(out, "kind: Application") {
		t.Errorf("it prints %q", out)
	}
}
