package render_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden renders each testdata/*.yaml (a Platform, a Tenant and claims) and
// compares with the golden file beside it.
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no input in testdata: %v", err)
	}
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			got := rendered(t, input)
			golden := strings.TrimSuffix(input, ".yaml") + ".golden"
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
				t.Errorf("%s differs (-want +got); if that is meant: go test ./internal/render -update\n%s", golden, diff)
			}
		})
	}
}

func rendered(t *testing.T, input string) []byte {
	t.Helper()
	text, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	var settings = render.SettingsOf(nil)
	contacts := map[string]v1alpha1.Contacts{}
	var out bytes.Buffer
	write := func(o render.Object) {
		raw, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n")
		out.Write(raw)
	}
	for _, doc := range strings.Split(string(text), "\n---\n") {
		var kind struct{ Kind string }
		must(t, yaml.Unmarshal([]byte(doc), &kind))
		switch kind.Kind {
		case "Platform":
			var p v1alpha1.Platform
			must(t, yaml.UnmarshalStrict([]byte(doc), &p))
			settings = render.SettingsOf(&p)
			settings.Impersonation = p.Annotations["impersonation"] != "off"
		case "AccessGrant":
			var grant v1alpha1.AccessGrant
			must(t, yaml.UnmarshalStrict([]byte(doc), &grant))
			grant.UID = "uid-of-the-grant"
			for _, o := range render.Grant(&grant, time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)) {
				if got := render.GrantOf(o.GetName()); got != grant.Name {
					t.Errorf("%s is of the grant %q, want %q", o.GetName(), got, grant.Name)
				}
				write(o)
			}
		case "Tenant":
			var tenant v1alpha1.Tenant
			must(t, yaml.UnmarshalStrict([]byte(doc), &tenant))
			tenant.UID = "uid-of-the-tenant"
			contacts[tenant.Name] = tenant.Spec.Contacts
			space, err := render.Tenant(&tenant, settings)
			must(t, err)
			for _, o := range space.All() {
				write(o)
			}
		case "ServiceClaim":
			var claim v1alpha1.ServiceClaim
			must(t, yaml.UnmarshalStrict([]byte(doc), &claim))
			claim.UID = "uid-of-the-claim"
			app, err := render.Application(&claim, settings)
			must(t, err)
			write(render.OnCall(app, contacts[claim.Spec.Team]))
		}
	}
	return out.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoChart(t *testing.T) {
	claim := &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "t", Image: "nginx"}}
	if _, err := render.Application(claim, render.SettingsOf(nil)); err != render.ErrNoChart {
		t.Errorf("got %v", err)
	}
}

// Who is on call is said in annotations, and nowhere from where it would reach a pod or a
// sync.
func TestOnCall(t *testing.T) {
	claim := &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "t", Image: "nginx"}}
	settings := render.SettingsOf(&v1alpha1.Platform{Spec: v1alpha1.PlatformSpec{Chart: &v1alpha1.PlatformChart{RepoURL: "r", TargetRevision: "v1"}}})
	for name, c := range map[string]struct {
		contacts v1alpha1.Contacts
		want     map[string]string
	}{
		"nobody":          {v1alpha1.Contacts{}, nil},
		"blanks":          {v1alpha1.Contacts{OnCall: " \n"}, nil},
		"another contact": {v1alpha1.Contacts{Escalation: "the head", CodeOwners: []string{"@x/y"}}, nil},
		"a webhook":       {v1alpha1.Contacts{OnCall: "rota", Channel: "https://hooks.slack.com" + "/services/T0000/B0000/XXXX"}, map[string]string{"demarc.dev/on-call": "rota"}},
		"a password":      {v1alpha1.Contacts{OnCall: "https://kim:pass@on-call.example/", Channel: "https://kim@hooks.example/x"}, nil},
		"a token":         {v1alpha1.Contacts{OnCall: "https://on-call.example/?week=this", Channel: "https://hooks.example/x?token=y"}, map[string]string{"demarc.dev/on-call": "https://on-call.example/?week=this"}},
		"one":             {v1alpha1.Contacts{OnCall: "rota: \"night\""}, map[string]string{"demarc.dev/on-call": "rota: \"night\""}},
		"both":            {v1alpha1.Contacts{OnCall: "rota", Channel: "#t"}, map[string]string{"demarc.dev/on-call": "rota", "demarc.dev/channel": "#t"}},
	} {
		t.Run(name, func(t *testing.T) {
			app, err := render.Application(claim, settings)
			must(t, err)
			before := app.DeepCopy()
			render.OnCall(app, c.contacts)
			if diff := cmp.Diff(c.want, app.GetAnnotations()); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			app.SetAnnotations(before.GetAnnotations())
			if diff := cmp.Diff(before, app); diff != "" {
				t.Errorf("it changed more than annotations (-before +after):\n%s", diff)
			}
		})
	}
}
