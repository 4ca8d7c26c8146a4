package secretshape

import (
	"fmt"
	"strings"
	"text/template"
)

// Policy is the admission policy made from the list, as a template of the chart.
//
// What the API server spends on CEL is bounded, per expression and per policy: so each
// rule is a variable, counted by itself, and looks for its needles first.
func Policy() string {
	var out strings.Builder
	if err := policyTemplate.Execute(&out, Rules); err != nil {
		panic(err) // the template and the list are constants; a test executes it
	}
	return out.String()
}

var policyTemplate = template.Must(template.New("policy").Delims("<<", ">>").Funcs(template.FuncMap{
	"raw": raw, "needles": needles, "variable": variable, "longest": func() int { return longestReference }, "lastApplied": func() string { return lastApplied },
}).Parse(policyText))

// raw is a CEL literal of a pattern, kept from Helm.
func raw(pattern string) string {
	return "r'" + strings.ReplaceAll(pattern, "{{", `{{ "{{" }}`) + "'"
}

func needles(of Rule) string {
	var asked []string
	for _, n := range of.Needles {
		asked = append(asked, fmt.Sprintf("t.text.contains('%s')", n))
	}
	return strings.Join(asked, " || ")
}

// variable is a rule's name in CEL.
func variable(of Rule) string { return strings.ReplaceAll(of.ID, "-", "_") }

const policyText = `# Made from internal/secretshape by make generate; change the list there.
#
# Claims can be read by every team's people, so what looks like a secret is refused in
# them. What was there before is not judged, nor is what is being deleted, and no
# message holds a value.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: demarc-secrets
  labels:
    {{- include "demarc.labels" . | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - apiGroups: [demarc.dev]
        apiVersions: [v1alpha1]
        operations: [CREATE, UPDATE]
        resources: [serviceclaims]
  matchConditions:
    - name: not-being-deleted
      expression: "!has(object.metadata.deletionTimestamp)"
  variables:
    - name: before
      expression: "request.operation == 'CREATE' ? dyn({}) : dyn(oldObject)"
    - name: oldEnv
      expression: "variables.before.?spec.?env.orValue([]).transformMapEntry(i, e, {e.name: e.?value.orValue('')})"
    - name: oldFiles
      expression: "variables.before.?spec.?files.orValue([]).transformMapEntry(i, f, {f.path: f.content})"
    # Variables, and all texts, that are new or changed.
    - name: env
      expression: "object.spec.?env.orValue([]).filter(e, e.?value.orValue('') != '' && variables.oldEnv[?e.name].orValue('') != e.value)"
    - name: fields
      expression: >-
        [[dyn('spec.image'), object.spec.?image.orValue(''), variables.before.?spec.?image.orValue('')],
        [dyn('spec.source.repoURL'), object.spec.?source.?repoURL.orValue(''), variables.before.?spec.?source.?repoURL.orValue('')],
        [dyn('spec.source.path'), object.spec.?source.?path.orValue(''), variables.before.?spec.?source.?path.orValue('')],
        [dyn('spec.source.targetRevision'), object.spec.?source.?targetRevision.orValue(''), variables.before.?spec.?source.?targetRevision.orValue('')]]
    - name: texts
      expression: >-
        variables.env.map(e, {'at': dyn('spec.env[' + e.name + ']'), 'text': dyn(e.value)}) +
        variables.fields.filter(f, f[1] != f[2]).map(f, {'at': dyn(f[0]), 'text': dyn(f[1])}) +
        object.spec.?command.orValue([]).transformList(i, v,
          !(v in variables.before.?spec.?command.orValue([])), {'at': dyn('spec.command[' + string(i) + ']'), 'text': dyn(v)}) +
        object.spec.?args.orValue([]).transformList(i, v,
          !(v in variables.before.?spec.?args.orValue([])), {'at': dyn('spec.args[' + string(i) + ']'), 'text': dyn(v)}) +
        object.spec.?files.orValue([]).filter(f, variables.oldFiles[?f.path].orValue('') != f.content).map(f, {'at': dyn('spec.files[' + f.path + ']'), 'text': dyn(f.content)}) +
        object.spec.?annotations.orValue({}).transformList(k, v,
          variables.before.?spec.?annotations[?k].orValue('') != v, {'at': dyn('spec.annotations[' + k + ']'), 'text': dyn(v)}) +
        object.metadata.?labels.orValue({}).transformList(k, v,
          variables.before.?metadata.?labels[?k].orValue('') != v, {'at': dyn('metadata.labels[' + k + ']'), 'text': dyn(v)}) +
        object.metadata.?annotations.orValue({}).transformList(k, v,
          k != '<<lastApplied>>' && variables.before.?metadata.?annotations[?k].orValue('') != v, {'at': dyn('metadata.annotations[' + k + ']'), 'text': dyn(v)})
<<- range . >>
    # <<.Catches>>.
    - name: <<variable .>>
<<- if .Names >>
      expression: >-
        variables.env.filter(e, e.name.matches(<<raw .Names.Secret>>) &&
        !e.name.matches(<<raw .Names.Harmless>>) &&
        !(size(e.value) <= <<longest>> && e.value.matches(<<raw .Names.Reference>>))).map(e, 'spec.env[' + e.name + '] (<<.ID>>)')
<<- else >>
      expression: >-
        variables.texts.filter(t, (<<needles .>>) &&
        t.text.matches(<<raw .Pattern>>)).map(t, t.at + ' (<<.ID>>)')
<<- end >>
<<- end >>
    - name: found
      expression: >-
        <<range $i, $r := .>><<if $i>> + <<end>>variables.<<variable $r>><<end>>
  validations:
    - expression: size(variables.found) == 0
      message: "something in this claim looks like a secret, and every team's people can read claims: see docs/secrets-in-claims.md"
      messageExpression: >-
        variables.found.transformList(i, f, i < 8, f).join(', ') + (size(variables.found) > 8 ? ' and more' : '') +
        ': this looks like a secret, and every team\'s people can read claims. Put it into a Secret of the team (kubectl create secret generic NAME -n team-' + object.spec.team +
        ' --from-env-file=FILE) and name that in valueFrom.secretKeyRef' +
        (variables.found.exists(f, f.startsWith('spec.source.')) ? '; what opens a repository is given to Argo CD' : '') +
        '. Each rule, and what passes: docs/secrets-in-claims.md'
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: demarc-secrets
  labels:
    {{- include "demarc.labels" . | nindent 4 }}
spec:
  policyName: demarc-secrets
  validationActions: [Deny]
`
