package compile

// indexHead and indexFoot stand around the list in docs/guardrails/README.md.
const indexHead = `# Guardrails

The team drives, the platform sets the limits. Each limit is a rule, and each rule is a ValidatingAdmissionPolicy that the API
server evaluates itself: no webhook, nothing that could be down. ` + "`demarc check`" + ` evaluates the very same files before the
cluster does.

    image-registry: spec.template.spec.containers[web].image is evil.example/web:1; images come from registry.example.
    To ask for an exception: demarc exception request payments --rule image-registry

## Who is judged, and when

Rules hold in the namespaces of teams and nowhere else. They judge what people, CI and operators write: Pods, and everything
that carries a template of one, so that who applies a Deployment sees the refusal and not a ReplicaSet's event later.

- **A change is refused for what it makes worse.** What broke a rule before it was there, or before the rule was, may stay: a
  label can be added, one of two images mended, a rollout goes on. What is changed to something else that breaks the rule is new.
- **What Kubernetes' controllers make from a template is not judged again**, so no rule stops a rollout halfway. A person who
  writes the same ownerReference is judged.
- **Status** is never judged, and a deletion neither: a finalizer goes whatever stands in the object. What is being deleted and is changed still counts, since
  what acts by it does not look at that.
- **Scaling, ephemeral containers and resizing** are judged as the change that they are.

## Modes

| mode | what happens |
|---|---|
| ` + "`deny`" + ` | the request is refused |
| ` + "`warn`" + ` | it passes, and who makes it reads a warning |
| ` + "`audit`" + ` | it passes, and the audit log has a note |
| ` + "`off`" + ` | nothing |

The profile gives each rule its mode: ` + "`baseline`" + ` refuses what no ordinary workload does, ` + "`strict`" + ` also what good ones do not. A rule that
measures with a limit refuses nothing until the platform sets that limit. The Platform changes modes for all or for a team:

` + "```yaml" + `
spec:
  guardrails:
    profile: strict
    limits:
      registries: [registry.example, docker.io/library]
    rules:
      - {id: spread, mode: off}
    teams:
      - team: payments
        rules:
          - {id: image-tag, mode: warn}
` + "```" + `

The modes that hold stand in three objects that the operator writes: ` + "`kubectl get guardrailsets`" + `. Where ` + "`deny`" + ` is missing, nothing is
let into a team's namespace, as nobody knows what is allowed; a missing ` + "`warn`" + ` or ` + "`audit`" + ` does nothing.

## Exceptions

An exception lets a team break a rule until a given time. It ends by the clock of the request, so also while the operator is down.
Each use leaves ` + "`demarc-rule-<id>/exception`" + ` in the audit log. Two kinds of request carry no time, and no exception counts for them:
` + "`kubectl scale`" + ` (change ` + "`spec.replicas`" + ` of the object itself), and a change that only takes something away (change an annotation along with it).

## What is filled in

Pods of teams that say nothing get what the platform has an answer to. What a team wrote is never changed, and templates are left
alone, so that nothing differs from Git.

| what | where |
|---|---|
| label ` + "`demarc.dev/team`" + ` | Pods without it |
| ` + "`seccompProfile: RuntimeDefault`" + ` | Pods that say none for the pod |
| requests of cpu and memory, from ` + "`Platform.spec.containerDefaults`" + ` | containers that say none, where no LimitRange does it: a team without a budget has none |

## All rules

| rule | what holds | baseline | strict |
|---|---|---|---|
`

const indexFoot = `
These pages, the policies in [internal/guardrail/rules](../../internal/guardrail/rules) and their copy in the chart are made by
` + "`make generate`" + ` from [internal/guardrail/source](../../internal/guardrail/source).
`
