package drift

import (
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/argocd"
)

// ignore is one thing that Argo CD is told to leave alone.
type ignore struct {
	Group                 string   `json:"group"`
	Kind                  string   `json:"kind"`
	Name                  string   `json:"name"`
	Namespace             string   `json:"namespace"`
	JSONPointers          []string `json:"jsonPointers"`
	JQPathExpressions     []string `json:"jqPathExpressions"`
	ManagedFieldsManagers []string `json:"managedFieldsManagers"`
}

func (i ignore) of(k key) bool {
	fits := func(pattern, text string) bool { return pattern == "" || pattern == "*" || pattern == text }
	return (i.Group == "*" || i.Group == k.Group) && fits(i.Kind, k.Kind) && fits(i.Name, k.name) && fits(i.Namespace, k.namespace)
}

// ignores says by what Argo CD leaves a field alone, empty where by nothing. unsure is an
// expression that may do so and is not evaluated here.
func (w *world) ignores(d *declaration, p fieldpath.Path, manager string) (by, unsure string) {
	k := keyOf(d.live)
	for _, i := range slices.Concat(d.app.ignored, w.everywhere(k)) {
		if !i.of(k) {
			continue
		}
		if manager != "" && slices.Contains(i.ManagedFieldsManagers, manager) {
			return "ignoreDifferences names the manager " + manager, ""
		}
		at := pointer(d.live.Object, p)
		for _, j := range i.JSONPointers {
			if at == j || strings.HasPrefix(at, j+"/") {
				return "ignoreDifferences names " + j, ""
			}
		}
		for _, jq := range i.JQPathExpressions {
			switch steps, plain := jqSteps(jq); {
			case !plain:
				unsure = jq
			case len(steps) <= len(p) && slices.EqualFunc(steps, p[:len(steps)], jqFits):
				return "ignoreDifferences names " + jq, ""
			}
		}
	}
	return "", unsure
}

var jqPlain = regexp.MustCompile(`^(\.[A-Za-z_][A-Za-z0-9_]*|\."[^"]+"|\[\]\??|\["[^"]+"\])+$`)

var jqStep = regexp.MustCompile(`\.([A-Za-z_][A-Za-z0-9_]*)|\.?\[?"([^"]+)"\]?|(\[\])\??`)

// jqSteps are the steps of a plain expression: names, and [] for any element.
func jqSteps(jq string) (steps []string, plain bool) {
	if !jqPlain.MatchString(jq) {
		return nil, false
	}
	for _, m := range jqStep.FindAllStringSubmatch(jq, -1) {
		steps = append(steps, m[1]+m[2]+m[3])
	}
	return steps, true
}

func jqFits(step string, e fieldpath.PathElement) bool {
	if e.FieldName != nil {
		return step == *e.FieldName
	}
	return step == "[]"
}

// everywhere is what Argo CD's own settings say of a kind.
func (w *world) everywhere(k key) (list []ignore) {
	o := w.set.Get(schema.GroupKind{Kind: "ConfigMap"}, w.settings.ArgoCDNamespace, argocd.ConfigMap)
	if o == nil {
		return nil
	}
	data, _, _ := unstructured.NestedStringMap(o.Object, "data")
	const prefix = "resource.customizations.ignoreDifferences."
	kind := k.Kind
	if k.Group != "" {
		kind = k.Group + "_" + k.Kind
	}
	for _, name := range []string{prefix + "all", prefix + kind} {
		one := ignore{}
		if text := data[name]; text != "" && yaml.Unmarshal([]byte(text), &one) == nil {
			one.Group, one.Kind, one.Name, one.Namespace = k.Group, "", "", ""
			list = append(list, one)
		}
	}
	return list
}
