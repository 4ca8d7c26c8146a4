package secretshape_test

import (
	"encoding/base64"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/secretshape"
)

var update = flag.Bool("update", false, "write the policy and its page anew")

func with(e secretshape.Example) *v1alpha1.ServiceClaim {
	return &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "t", Env: []v1alpha1.ClaimEnv{{Name: e.Name, Value: e.Value}}}}
}

// Each bad example breaks its own rule, and each good one breaks none.
func TestExamples(t *testing.T) {
	for _, r := range secretshape.Rules {
		if r.ID == "" || r.Catches == "" || r.Why == "" || len(r.Bad) == 0 || len(r.Good) == 0 {
			t.Errorf("%q is not complete: %+v", r.ID, r)
		}
		for _, e := range r.Bad {
			found := secretshape.Find(with(e))
			if len(found) == 0 || found[0] != (secretshape.Finding{Path: "spec.env[" + e.Name + "]", Rule: r.ID}) {
				t.Errorf("%s: %+v: found %+v", r.ID, e, found)
			}
		}
		for _, e := range r.Good {
			if found := secretshape.Find(with(e)); len(found) > 0 {
				t.Errorf("%s: %+v: found %+v", r.ID, e, found)
			}
		}
	}
}

// Whatever a pattern matches holds one of its needles: every alternative is tried with
// the shortest text that it matches.
func TestNeedles(t *testing.T) {
	for _, r := range secretshape.Rules {
		if r.Names != nil {
			continue
		}
		for _, text := range shortest(t, r.Pattern) {
			if !regexp.MustCompile(r.Pattern).MatchString(text) {
				t.Fatalf("%s: %q was to match %s", r.ID, text, r.Pattern)
			}
			found := false
			for _, n := range r.Needles {
				found = found || strings.Contains(text, n)
			}
			if !found {
				t.Errorf("%s matches %q, which holds none of %q", r.ID, text, r.Needles)
			}
		}
	}
}

// base64 of a key's first line is found whatever the kind of key.
func TestPrivateKeysInBase64(t *testing.T) {
	for kind, secret := range map[string]bool{
		"PRIVATE KEY": true, "RSA PRIVATE KEY": true, "EC PRIVATE KEY": true, "ENCRYPTED PRIVATE KEY": true, "OPENSSH PRIVATE KEY": true,
		"CERTIFICATE": false, "PUBLIC KEY": false, "EC PARAMETERS": false, "RSA PUBLIC KEY": false,
	} {
		value := base64.StdEncoding.EncodeToString([]byte("-----BEGIN " + kind + "-----\nMIIE"))
		if found := secretshape.Find(with(secretshape.Example{Name: "SETTING", Value: value})); (len(found) > 0) != secret {
			t.Errorf("%s: found %v", kind, found)
		}
	}
}

// Every place of a claim is looked at, and kubectl's copy of it is not.
func TestPlaces(t *testing.T) {
	const secret = "redis://:open-sesame@cache"
	c := &v1alpha1.ServiceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Labels:      map[string]string{"l": secret},
			Annotations: map[string]string{"a": secret, "kubectl.kubernetes.io/last-applied-configuration": secret},
		},
		Spec: v1alpha1.ServiceClaimSpec{
			Image:  secret,
			Source: &v1alpha1.ClaimSource{RepoURL: secret, Path: secret, TargetRevision: secret},
			Env:    []v1alpha1.ClaimEnv{{Name: "CACHE", Value: secret}, {Name: "FROM", ValueFrom: &v1alpha1.ClaimEnvSource{}}},
		},
	}
	var paths []string
	for _, f := range secretshape.Find(c) {
		paths = append(paths, f.Path)
	}
	want := []string{"metadata.annotations[a]", "metadata.labels[l]", "spec.env[CACHE]", "spec.image",
		"spec.source.path", "spec.source.repoURL", "spec.source.targetRevision"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
}

// The policy and its page are made from the list.
func TestGenerated(t *testing.T) {
	for path, want := range map[string]string{
		"../../charts/demarc/templates/policies/secrets.yaml": secretshape.Policy(),
		"../../docs/secrets-in-claims.md":                     secretshape.Page(),
	} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(have), want); diff != "" {
			t.Errorf("%s is not current; run: make generate\n%s", path, diff)
		}
	}
}

// Helm takes "{{" for its own, and CEL a quote for the end of a literal.
func TestPatternsStandInAChart(t *testing.T) {
	for _, r := range secretshape.Rules {
		all := append([]string{r.Pattern}, r.Needles...)
		if r.Names != nil {
			all = append(all, r.Names.Secret, r.Names.Harmless, r.Names.Reference)
		}
		for _, text := range all {
			if strings.ContainsAny(text, "'\n") || strings.HasSuffix(text, " ") && text == r.Pattern {
				t.Errorf("%s: %q cannot stand in the policy", r.ID, text)
			}
		}
	}
}
