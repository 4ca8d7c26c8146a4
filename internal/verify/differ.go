package verify

import (
	"fmt"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/render"
)

// exact are the parts of a kind in which nothing may stand but what should.
var exact = map[string][]string{
	"ClusterRole": {"rules", "aggregationRule"}, "Role": {"rules"}, "ClusterRoleBinding": {"roleRef", "subjects"}, "RoleBinding": {"roleRef", "subjects"},
	"ValidatingAdmissionPolicy": {"spec"}, "ValidatingAdmissionPolicyBinding": {"spec"},
	"MutatingAdmissionPolicy": {"spec"}, "MutatingAdmissionPolicyBinding": {"spec"},
	"NetworkPolicy": {"spec"}, "ResourceQuota": {"spec"}, "LimitRange": {"spec"}, "AppProject": {"spec"}, "Application": {"spec"},
	"ServiceAccount": {"automountServiceAccountToken"}, "GuardrailSet": {"spec"},
}

// fixed are the parts that the API server lets nobody change.
var fixed = []string{"/roleRef", "/spec/scopes", "/spec/scopeSelector"}

// differs compares what an object says.
func (v *verifier) differs(k kept, live render.Object) {
	o, ops := about(live), v.steps(k.want, live)
	if len(ops) == 0 {
		return
	}
	as := v.writer(live)
	for _, step := range ops {
		if strings.HasSuffix(step.Path, escape(v1alpha1.LabelTenant)) {
			as = v.operatorUser() // whom alone policy lets do so
		}
	}
	fix := patching(o, ops, as, "changes back what differs, and nothing else")
	if slices.ContainsFunc(ops, func(step op) bool {
		return slices.ContainsFunc(fixed, func(path string) bool { return strings.HasPrefix(step.Path, path) })
	}) {
		fix = command("makes it anew: this part of it never changes", "kubectl replace --force -f - <<'EOF'\n"+text(k.want.Object)+"\nEOF")
	}
	v.fixes[o] = fix
	v.add(finding.Finding{ID: k.id, Severity: finding.Error, Object: o, Message: title(k.id) + ": " + summed(live, ops), Evidence: evidence(live, ops), Mend: fix, Cause: bindingItself(live)})
}

// writer is whom alone policy lets write an object; empty where others may.
func (v *verifier) writer(o render.Object) string {
	if o.GroupVersionKind().GroupKind() == guardrailSets {
		return v.operatorUser()
	}
	return ""
}

// bindingItself is the cause where what differs is a binding.
func bindingItself(o render.Object) *finding.Cause {
	ref, ok := o.Object["roleRef"].(map[string]any)
	if !ok {
		return nil
	}
	role := finding.Object{Group: rbacGroup, Kind: fmt.Sprint(ref["kind"]), Name: fmt.Sprint(ref["name"])}
	if role.Kind == "Role" {
		role.Namespace = o.GetNamespace()
	}
	return &finding.Cause{Binding: about(o), Role: role}
}

// steps lead from what is live to what should be.
func (v *verifier) steps(want, live render.Object) (ops []op) {
	if want.GetKind() == "Namespace" {
		for _, key := range keysOf(want.GetLabels()) {
			if key != v1alpha1.LabelOwner && live.GetLabels()[key] != want.GetLabels()[key] {
				ops = append(ops, setting("labels", key, live.GetLabels(), want.GetLabels()[key])...)
			}
		}
		return ops
	}
	for _, part := range exact[want.GetKind()] {
		path := "/" + part
		is, should := live.Object[part], want.Object[part]
		full, whole := filled(want.GetKind(), is), filled(want.GetKind(), should)
		switch {
		case same(full, whole), want.GetKind() == "AppProject" && !v.impersonated() && v.unimpersonated(want, is):
		case !same(is, full): // the API server fills in what we do: this was never in one
			ops = append(ops, op{"replace", path, should})
		default:
			ops = append(ops, patch(path, is, whole)...)
		}
	}
	return ops
}

// unimpersonated says whether a project is the one that Demarc makes while Argo CD
// delivers with its own rights.
func (v *verifier) unimpersonated(want render.Object, spec any) bool {
	t := v.teamOf(want.GetName()) // a project is named as the namespace is
	if t == nil {
		return false
	}
	settings := v.settings
	settings.Impersonation = false
	space, err := render.Tenant(t, settings)
	return err == nil && v.keepsRepositories(space.Project, t) == nil && same(space.Project.Object["spec"], spec)
}

// summed says in a line what the first steps change.
func summed(live render.Object, ops []op) string {
	var parts []string
	for _, e := range evidence(live, ops) {
		parts = append(parts, e.Field+" "+e.Value)
	}
	return few(parts, 3)
}

// evidence is what stands in each place that differs, and what should.
func evidence(live render.Object, ops []op) (list []finding.Evidence) {
	for _, step := range ops {
		var value string
		switch is := at(live.Object, step.Path); {
		case step.Op == "test":
			continue
		case step.Op == "remove":
			value = "is " + short(is) + " and should not be there"
		case step.Op == "replace" || step.Op == "add" && strings.HasPrefix(step.Path, "/metadata/") && is != nil:
			value = "is " + short(is) + " and should be " + short(step.Value)
		default:
			value = "lacks " + short(step.Value)
		}
		list = append(list, finding.Evidence{Object: about(live), Field: dotted(step.Path), Value: value})
	}
	return list
}

func short(v any) string {
	const most = 120
	s := text(v)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func dotted(path string) string {
	steps := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
	}
	return strings.Join(steps, ".")
}

// at follows a JSON pointer; nil where it leads nowhere.
func at(node any, path string) any {
	for _, s := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		s = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
		switch x := node.(type) {
		case map[string]any:
			node = x[s]
		case []any:
			i := -1
			if _, err := fmt.Sscan(s, &i); err != nil || i < 0 || i >= len(x) {
				return nil
			}
			node = x[i]
		default:
			return nil
		}
	}
	return node
}
