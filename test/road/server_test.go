package road

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/chart"
	"demarc.dev/demarc/internal/secretshape"
	"demarc.dev/demarc/internal/testenv"
)

// TestRoadIsAccepted has a real API server judge what each claim becomes: under the
// policies of the install, the rules of each profile, and Pod Security.
func TestRoadIsAccepted(t *testing.T) {
	all := claims(t)
	for _, profile := range profiles {
		for _, a := range all {
			t.Run(string(profile)+"/"+a.name, func(t *testing.T) {
				under(t, a.platform.Spec, profile)
				objects, err := a.rendered(profile)
				if err != nil {
					t.Fatal(err)
				}
				for _, refused := range judged(objects) {
					t.Error(refused)
				}
			})
		}
	}
}

// judged are the refusals of objects, and of the pods that they would make.
func judged(objects []chart.Object) (refused []string) {
	for _, o := range append(slices.Clip(objects), podsOf(objects)...) {
		if err := try(o.Unstructured); err != nil {
			refused = append(refused, o.GetKind()+" "+o.GetName()+": "+err.Error())
		}
	}
	return refused
}

// What is rendered for one profile would not pass the other: the difference is there for
// a reason.
func TestBaselineIsRefusedUnderStrict(t *testing.T) {
	tried := 0
	defer func() {
		if tried != 1 {
			t.Errorf("%d claims were tried, want low-port alone", tried)
		}
	}()
	for _, a := range claims(t) {
		if a.name != "low-port" {
			continue
		}
		tried++
		objects, err := a.rendered(v1alpha1.ProfileBaseline)
		if err != nil {
			t.Fatal(err)
		}
		under(t, a.platform.Spec, v1alpha1.ProfileStrict)
		refused := strings.Join(judged(objects), "\n")
		for _, want := range []string{"Deployment web: ", "ValidatingAdmissionPolicy 'demarc-rule-", "Pod web-0: ", `violates PodSecurity "restricted:latest"`} {
			if !strings.Contains(refused, want) {
				t.Errorf("it does not say %q: %s", want, refused)
			}
		}
	}
}

// podsOf are the pods that workloads would make: Pod Security judges these alone.
func podsOf(objects []chart.Object) (pods []chart.Object) {
	for _, o := range objects {
		spec := podOf(o)
		if spec == nil {
			continue
		}
		spec = maps.Clone(spec)
		delete(spec, "topologySpreadConstraints") // a pod alone has no hash of a template
		volumes, _, _ := unstructured.NestedSlice(spec, "volumes")
		templates, _, _ := unstructured.NestedSlice(o.Object, "spec", "volumeClaimTemplates")
		for _, v := range templates {
			name, _, _ := unstructured.NestedString(v.(map[string]any), "metadata", "name")
			volumes = append(volumes, map[string]any{"name": name, "persistentVolumeClaim": map[string]any{"claimName": name}})
		}
		spec["volumes"] = volumes
		pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": map[string]any{
			"name":            o.GetName() + "-0",
			"ownerReferences": []any{map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName(), "uid": "1", "controller": true}},
		}}}
		pods = append(pods, chart.Object{Unstructured: pod})
	}
	return pods
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// TestAddonsStayTheTeams tries what a team's Git could bring beside the road, each way out
// of the team's own with one object that is kept out, and one that is let through.
func TestAddonsStayTheTeams(t *testing.T) {
	under(t, v1alpha1.PlatformSpec{SecretStore: &v1alpha1.PlatformSecretStore{Name: "vault", Prefix: "teams/"}}, v1alpha1.ProfileBaseline)
	secret := func(spec string) string {
		return "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: x}, spec: {" + spec + "}}"
	}
	const store = "secretStoreRef: {kind: ClusterSecretStore, name: vault}, "
	monitor := func(spec string) string {
		return "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: x}, spec: {selector: {}, " + spec + "}}"
	}
	rule := func(rule string) string {
		return "{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: x}, spec: {groups: [{name: a, rules: [{" + rule + "}]}, {name: b}]}}"
	}
	for _, c := range []struct{ name, object, refused string }{
		{"an entry of its own", secret(store + "dataFrom: [{extract: {key: teams/shop/db}}], data: [{secretKey: a, remoteRef: {key: teams/shop/a/b}}]"), ""},
		{"an entry of another team", secret(store + "dataFrom: [{extract: {key: teams/blog/db}}]"), "the entry teams/blog/db is not the team's: those that are begin with teams/shop/"},
		{"an entry of a team whose name begins alike", secret(store + "dataFrom: [{extract: {key: teams/shopping/db}}]"), "is not the team's"},
		{"an entry that climbs", secret(store + "data: [{secretKey: a, remoteRef: {key: teams/shop/../blog/db}}]"), "is not the team's"},
		{"an entry without a name", secret(store + "data: [{secretKey: a}]"), "is not the team's"},
		{"whatever is found", secret(store + "dataFrom: [{find: {path: teams/shop}}]"), "without find and sourceRef"},
		{"another store", secret("secretStoreRef: {kind: ClusterSecretStore, name: other}, dataFrom: [{extract: {key: teams/shop/db}}]"), "the ClusterSecretStore vault alone"},
		{"a store of the namespace", secret("secretStoreRef: {kind: SecretStore, name: vault}, dataFrom: [{extract: {key: teams/shop/db}}]"), "the ClusterSecretStore vault alone"},
		{"no store", secret("dataFrom: [{extract: {key: teams/shop/db}}]"), "the ClusterSecretStore vault alone"},
		{"another store for one entry", secret(store + "data: [{secretKey: a, remoteRef: {key: teams/shop/a}, sourceRef: {storeRef: {kind: ClusterSecretStore, name: other}}}]"), "without find and sourceRef"},
		{"another store for all of one", secret(store + "dataFrom: [{extract: {key: teams/shop/a}, sourceRef: {storeRef: {kind: ClusterSecretStore, name: other}}}]"), "without find and sourceRef"},
		{"something that is no Secret", secret(store + "dataFrom: [{extract: {key: teams/shop/a}}], target: {manifest: {apiVersion: v1, kind: ConfigMap}}"), "keeps a Secret, and nothing else"},

		{"its own services", monitor("endpoints: [{port: http, tlsConfig: {insecureSkipVerify: true}, relabelings: [{targetLabel: zone}], metricRelabelings: [{action: drop, regex: go_.*}]}]"), ""},
		{"its own services, by name", monitor("namespaceSelector: {matchNames: [team-shop]}, endpoints: []"), ""},
		{"all namespaces", monitor("namespaceSelector: {any: true}, endpoints: []"), "the team's own namespace"},
		{"another namespace", monitor("namespaceSelector: {matchNames: [team-shop, team-blog]}, endpoints: []"), "the team's own namespace"},
		{"a token of Prometheus", monitor("endpoints: [{port: http, bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token}]"), "no file of Prometheus' own"},
		{"a key of Prometheus", monitor("endpoints: [{port: http}, {port: b, tlsConfig: {keyFile: /etc/tls.key}}]"), "no file of Prometheus' own"},
		{"a proxy", monitor("endpoints: [{port: http, proxyUrl: 'http://evil.example'}]"), "no proxy and no other server"},
		{"another address", monitor("endpoints: [{port: http, relabelings: [{targetLabel: __address__, replacement: '169.254.169.254'}]}]"), "where Prometheus scrapes"},
		{"a map of labels", monitor("endpoints: [{port: http, relabelings: [{action: LabelMap, regex: a(.*)}]}]"), "where Prometheus scrapes"},
		{"an address by an expanded label", monitor("endpoints: [{port: http, relabelings: [{regex: '(.+)', targetLabel: '$1', sourceLabels: [a]}]}]"), "or hold a '$'"},
		{"a token from elsewhere", monitor("endpoints: [{port: http, oauth2: {tokenUrl: 'http://169.254.169.254'}}]"), "no other server"},
		{"a proxy of the environment's", monitor("endpoints: [{port: http, proxyFromEnvironment: true}]"), "no proxy"},
		{"a namespace by a label", monitor("targetLabels: [namespace], endpoints: [{port: http}]"), "take namespace out"},
		{"labels of its own over Prometheus'", monitor("endpoints: [{port: http, honorLabels: true}]"), "leave honorLabels"},
		{"series of another namespace", monitor("endpoints: [{port: http, metricRelabelings: [{targetLabel: namespace, replacement: team-blog}]}]"), "changes the label namespace"},

		{"an alert that names nobody", rule("expr: up, alert: A, labels: {severity: critical}"), "give each the labels demarc_team: shop and namespace: team-shop"},
		{"an alert whose expression brings another team", rule("alert: A, expr: 'label_replace(vector(1), \"demarc_team\", \"blog\", \"\", \"\")'"), "give each the labels demarc_team: shop"},
		{"an alert that names its team", rule("expr: up, alert: A, labels: {severity: critical, demarc_team: shop, namespace: team-shop}"), ""},
		{"an alert for another team", rule("expr: up, alert: A, labels: {demarc_team: blog}"), "an alert of team shop is routed to it"},
		{"an alert of another namespace", rule("expr: up, alert: A, labels: {namespace: team-blog}"), "an alert of team shop is routed to it"},
		{"a series that is recorded", rule("expr: up, record: 'shop:up:sum'"), ""},
		{"a series that is recorded as another's", rule("expr: up, record: up"), "has a ':' in its name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			switch err := try(object(t, c.object)); {
			case c.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("%v\nwant %q", err, c.refused)
			}
		})
	}
	under(t, v1alpha1.PlatformSpec{}, v1alpha1.ProfileBaseline)
	if err := try(object(t, secret(store+"dataFrom: [{extract: {key: shop/db}}]"))); err == nil || !strings.Contains(err.Error(), "names no store") {
		t.Errorf("without a store: %v", err)
	}
}

// TestSecretsOnTheRoad: what looks like a secret is refused in the road's fields too, and
// what was there before is not judged; the largest claim that there can be is judged.
func TestSecretsOnTheRoad(t *testing.T) {
	const key = "AKIA" + "IOSFODNN7EXAMPLE"
	claim := func(spec string) *unstructured.Unstructured {
		return object(t, `{apiVersion: demarc.dev/v1alpha1, kind: ServiceClaim, metadata: {name: hush}, spec: {team: shop, image: "nginx:1", `+spec+`}}`)
	}
	for at, spec := range map[string]string{
		"spec.command[1]":            "command: [a, " + key + "]",
		"spec.args[0]":               "args: ['--key=" + key + "']",
		"spec.files[/etc/a]":         "files: [{path: /etc/b, content: c}, {path: /etc/a, content: 'key = " + key + "'}]",
		"spec.annotations[shop/key]": "annotations: {shop/key: " + key + "}",
	} {
		var err error
		testenv.Eventually(t, func() error { // the policy that refuses is there a moment after it was made
			if err = try(claim(spec)); err == nil {
				return errors.New(at + " is let in")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), at+" (aws-key)") || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", at, err)
		}
		found := &v1alpha1.ServiceClaim{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(claim(spec).Object, found); err != nil {
			t.Fatal(err)
		}
		if f := secretshape.Find(found); len(f) != 1 || f[0].Path != at {
			t.Errorf("offline it finds %v, want %s", f, at)
		}
	}
	if err := try(claim("command: [sh, -c, echo], args: [a], files: [{path: /a, content: 'b: c'}], annotations: {a: b}")); err != nil {
		t.Error(err)
	}

	largest := claim("command: [a]")
	files := []any{}
	for i := range 8 {
		files = append(files, map[string]any{"path": fmt.Sprintf("/etc/%d", i), "content": strings.Repeat("lorem ip", 2048)})
	}
	env := []any{}
	for i := range 100 {
		env = append(env, map[string]any{"name": fmt.Sprintf("A%d", i), "value": strings.Repeat("dolor si", 512)})
	}
	command, args := []any{}, []any{}
	for range 16 {
		command = append(command, strings.Repeat("amet con", 512))
	}
	for range 64 {
		args = append(args, strings.Repeat("sectetur", 128))
	}
	for path, value := range map[string][]any{"files": files, "env": env, "command": command, "args": args} {
		if err := unstructured.SetNestedSlice(largest.Object, value, "spec", path); err != nil {
			t.Fatal(err)
		}
	}
	if err := try(largest); err != nil {
		t.Errorf("the largest claim: %v", err)
	}
}
