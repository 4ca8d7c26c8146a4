package verify

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
)

// setting of Argo CD, and whether the ConfigMap with it is there.
func (f *facts) impersonationIs() (value string, there bool) {
	o := f.set.Get(configMaps, f.settings.ArgoCDNamespace, argocd.ConfigMap)
	if o == nil {
		return "", false
	}
	value, _, _ = unstructured.NestedString(o.Object, "data", argocd.ImpersonationKey)
	return value, true
}

func (f *facts) impersonated() bool {
	value, _ := f.impersonationIs()
	return value == "true"
}

// impersonation must be on: without it what Git may do is all that Argo CD may.
func (v *verifier) impersonation() {
	if !v.set.Serves(projects) || v.impersonated() {
		return
	}
	o := object(configMaps, v.settings.ArgoCDNamespace, argocd.ConfigMap)
	value, there := v.impersonationIs()
	if !there && v.Files {
		v.missing[configMaps] = true
		return
	}
	patch := text(map[string]any{"data": map[string]any{argocd.ImpersonationKey: "true"}})
	fix := command("switches it on", "kubectl patch "+target(o)+" --type=merge -p "+word(patch))
	if !there {
		fix = finding.Mend{Says: "name Argo CD's namespace in spec.argocd.namespace of Platform default, or make ConfigMap argocd-cm with data." + argocd.ImpersonationKey + "=true"}
	}
	v.add(finding.Finding{ID: NoAccount, Severity: finding.Error, Object: o, Owner: "platform", Domain: "configuration-drift",
		Message:  "Argo CD does not act as the teams' accounts: data." + argocd.ImpersonationKey + " is " + text(value) + ", so a team's Git may do all that Argo CD may",
		Evidence: []finding.Evidence{{Object: o, Field: "data." + argocd.ImpersonationKey, Value: value}}, Mend: fix})
}
