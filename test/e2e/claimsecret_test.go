package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/secretshape"
)

// withEnv is a claim of a team that is not there: it is only ever asked about.
func withEnv(env ...v1alpha1.ClaimEnv) *v1alpha1.ServiceClaim {
	return &v1alpha1.ServiceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "hush"},
		Spec:       v1alpha1.ServiceClaimSpec{Team: "hush", Image: "nginx:1.27-alpine", Env: env},
	}
}

func ask(t *testing.T, c *v1alpha1.ServiceClaim) error {
	t.Helper()
	return admin.Create(t.Context(), c, client.DryRunAll)
}

// Every rule of the list refuses its bad examples, names field and rule and not the
// value, and lets its good ones pass.
func TestSecretsInClaims(t *testing.T) {
	t.Parallel()
	for _, r := range secretshape.Rules {
		t.Run(r.ID, func(t *testing.T) {
			for _, e := range r.Bad {
				err := ask(t, withEnv(v1alpha1.ClaimEnv{Name: e.Name, Value: e.Value}))
				switch {
				case err == nil || !strings.Contains(err.Error(), "spec.env["+e.Name+"] ("+r.ID+")"):
					t.Errorf("%+v: %v", e, err)
				case len(e.Value) > 3 && strings.Contains(err.Error(), e.Value):
					t.Errorf("the message holds the value: %v", err)
				}
			}
			for _, e := range r.Good {
				if err := ask(t, withEnv(v1alpha1.ClaimEnv{Name: e.Name, Value: e.Value})); err != nil {
					t.Errorf("%+v: %v", e, err)
				}
			}
		})
	}
}

// Wherever it stands, and by reference it passes.
func TestSecretsAnywhereInAClaim(t *testing.T) {
	t.Parallel()
	const url = "https://kim:open-sesame@git.example/shop.git"
	const key = "AKIA" + "IOSFODNN7EXAMPLE"
	ref := &v1alpha1.ClaimEnvSource{SecretKeyRef: &v1alpha1.ClaimKeyRef{Name: "db", Key: "password"}}
	for path, change := range map[string]func(*v1alpha1.ServiceClaim){
		"spec.image (aws-key)": func(c *v1alpha1.ServiceClaim) { c.Spec.Image = "shop/api:" + key },
		"spec.source.repoURL (url-password)": func(c *v1alpha1.ServiceClaim) {
			c.Spec = v1alpha1.ServiceClaimSpec{Team: "hush", Source: &v1alpha1.ClaimSource{RepoURL: url}}
		},
		"spec.source.targetRevision (aws-key)": func(c *v1alpha1.ServiceClaim) {
			c.Spec = v1alpha1.ServiceClaimSpec{Team: "hush", Source: &v1alpha1.ClaimSource{RepoURL: "https://git.example/a", TargetRevision: key}}
		},
		"metadata.labels[a] (aws-key)":           func(c *v1alpha1.ServiceClaim) { c.Labels = map[string]string{"a": key} },
		"metadata.annotations[a] (url-password)": func(c *v1alpha1.ServiceClaim) { c.Annotations = map[string]string{"a": url} },
		"": func(c *v1alpha1.ServiceClaim) {
			c.Spec.Env = []v1alpha1.ClaimEnv{{Name: "DB_PASSWORD", ValueFrom: ref}, {Name: "DB", Value: "postgres://app:$(DB_PASSWORD)@db/app"}}
			c.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": url}
		},
	} {
		c := withEnv()
		change(c)
		err := ask(t, c)
		if refused := err != nil; refused != (path != "") || refused && !strings.Contains(err.Error(), path+": this looks like a secret") {
			t.Errorf("want %q refused: %v", path, err)
		}
	}
}

// Many at once are all said, as far as a message goes; and the largest claim there can
// be is judged within what the API server spends on it.
func TestSecretsInLargeClaims(t *testing.T) {
	t.Parallel()
	env := func(value string) (list []v1alpha1.ClaimEnv) {
		for i := range 100 {
			list = append(list, v1alpha1.ClaimEnv{Name: fmt.Sprintf("SETTING_%d_%s", i, strings.Repeat("X", 200)), Value: value})
		}
		return list
	}
	large := withEnv(env(strings.Repeat("https://shop.example:8443/a?b=c ", 128))...)
	large.Annotations = map[string]string{"a": strings.Repeat("words and 1234567890 ", 12_000)}
	if err := ask(t, large); err != nil {
		t.Errorf("the largest claim: %v", err)
	}
	large.Spec.Env[99].Value = strings.Repeat("x", 4000) + " redis://:open-sesame@cache"
	if err := ask(t, large); err == nil || !strings.Contains(err.Error(), "spec.env[SETTING_99_") || !strings.Contains(err.Error(), "(url-password)") {
		t.Errorf("a secret at its end: %v", err)
	}
	many := ask(t, withEnv(env("redis://:open-sesame@cache")...))
	if many == nil || strings.Count(many.Error(), "(url-password)") != 8 || !strings.Contains(many.Error(), " and more: this looks like a secret") {
		t.Errorf("a hundred: %v", many)
	}
}

// What was there before is not judged, and what is being deleted is not either. Not
// parallel: the policy is off while a claim of before it is made.
func TestSecretsOfBefore(t *testing.T) {
	policy := func(action string, refuses bool) {
		t.Helper()
		must(t, `patch validatingadmissionpolicybinding demarc-secrets --type=merge -p {"spec":{"validationActions":["`+action+`"]}}`)
		eventually(t, soon, func(context.Context) error {
			if err := ask(t, withEnv(v1alpha1.ClaimEnv{Name: "TOKEN", Value: "open-sesame"})); (err != nil) != refuses {
				return fmt.Errorf("the policy is not set to %s yet: %v", action, err)
			}
			return nil
		})
	}
	before := func(name, rest string) string {
		return claim(name, "earlier", "image: nginx:1.27-alpine, replicas: 0, env: ["+rest+"{name: TOKEN, value: open-sesame}]")
	}
	policy("Audit", false)
	t.Cleanup(func() { policy("Deny", true) })
	apply(t, onCall("earlier"), before("earlier", ""))
	claimSays(t, "earlier", "Ready", "ScaledToZero")
	policy("Deny", true)

	developer := as("dev", "earlier")
	const hold = `patch serviceclaim earlier --type=json -p [{"op":"add","path":"/metadata/finalizers/0","value":"test.example/hold"}]`
	try(t, []attack{
		{"a new variable beside it", developer, "apply -f -", before("earlier", "{name: A, value: b}, "), ""},
		{"another place in the list", developer, "apply -f -", strings.Replace(before("earlier", "{name: A, value: b}, "), "{name: A, value: b}, {name: TOKEN, value: open-sesame}",
			"{name: TOKEN, value: open-sesame}, {name: A, value: b}", 1), ""},
		{"a label", developer, "label serviceclaim earlier a=b", "", ""},
		{"a number by operate", asUser("earlier-oncall"), `patch serviceclaim earlier --type=merge -p {"spec":{"replicas":0}}`, "", ""},
		{"another value", developer, `patch serviceclaim earlier --type=merge -p {"spec":{"env":[{"name":"TOKEN","value":"sesame-open"}]}}`, "", "spec.env[TOKEN] (env-name)"},
		{"the same under another name", developer, `patch serviceclaim earlier --type=merge -p {"spec":{"env":[{"name":"API_TOKEN","value":"open-sesame"}]}}`, "", "spec.env[API_TOKEN] (env-name)"},
		{"a new one by Git", asDeliver("earlier"), "create -f -", before("earlier-new", ""), "spec.env[TOKEN] (env-name)"},
		{"held", "", hold, "", ""},
		{"deletion", developer, "delete serviceclaim earlier --wait=false", "", ""},
		{"another value of what is being deleted", developer, `patch serviceclaim earlier --type=merge -p {"spec":{"env":[{"name":"TOKEN","value":"sesame-open"}]}}`, "", ""},
		{"let go", "", `patch serviceclaim earlier --type=json -p [{"op":"remove","path":"/metadata/finalizers/0"}]`, "", ""},
	})
	isGone(t, soon, &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "earlier"}})
}
