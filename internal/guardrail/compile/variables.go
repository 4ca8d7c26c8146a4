package compile

import (
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
)

// variables decide, each lazily: whether the rule applies, what is broken, what of it is new, which exceptions
// are about it, and which of these still hold.
func variables(r guardrail.Rule) ([]admissionv1.Variable, error) {
	vars := []admissionv1.Variable{
		variable("team", fmt.Sprintf("namespaceObject.metadata.labels['%s']", v1alpha1.LabelTenant)),
		variable("applies", fmt.Sprintf(`'%[1]s' in params.spec.?rules.orValue([]) && !('%[1]s/' + variables.team in params.spec.?except.orValue('').split('\n')) ||
  '%[1]s/' + variables.team in params.spec.?teams.orValue('').split('\n')`, r.ID)),
	}
	if r.JudgesHosts() {
		const lines = `params.spec.?domains.orValue('').split('\n').filter(l, `
		vars = append(vars,
			variable("domains", lines+"l.endsWith(' ' + variables.team)).map(l, l.split(' ')[0])"),
			variable("foreign", lines+"l != '' && !l.endsWith(' ' + variables.team)).map(l, l.split(' ')[0])"))
	}
	for _, of := range []side{now, before} {
		for _, w := range needed(r.Check) {
			means, err := place(w.means, of)
			if err != nil {
				return nil, err
			}
			name := w.name
			if of == before {
				name += "Before"
			}
			vars = append(vars, variable(name, means))
		}
	}
	is, err := place(strings.TrimSpace(r.Check), now)
	if err != nil {
		return nil, err
	}
	was, err := place(strings.TrimSpace(r.Check), before)
	if err != nil {
		return nil, err
	}
	return append(vars,
		variable("broken", "!variables.applies ? [] :\n"+is),
		variable("brokenBefore", "request.operation != 'UPDATE' ? [] :\n"+was),
		variable("fresh", fresh[r.Worse]),
		variable("about", fmt.Sprintf(`params.spec.?exceptions.orValue('').split('\n').filter(l, l.startsWith(variables.team + ' ')).map(l, l.split(' ')).filter(e, '%s' in e[3].split(',') &&
  (e.size() < 5 || e[4].split(',').all(m, object.metadata.?labels[?m.split('=')[0]] == optional.of(m.split('=')[1])))).map(e, {'name': e[1], 'expires': e[2]})`, r.ID)),
		variable("timed", timedBy(r)),
		variable("clock", clock),
		variable("holding", "size(variables.clock) == 0 ? [] : variables.about.filter(e, timestamp(e.expires) > variables.clock.max())"),
	), nil
}

// fresh is what is broken and was not before, or not as much.
var fresh = map[guardrail.Worse]string{
	guardrail.WorseChanged: "size(variables.broken) == 0 ? [] : variables.broken.filter(b, !(b in variables.brokenBefore))",
	guardrail.WorseMore: `size(variables.broken) == 0 ? [] : variables.broken.filter(b,
  !variables.brokenBefore.exists(w, w.at == b.at && double(w.n) >= double(b.n)))`,
}

// clock is the request's: CEL has none. A new object carries when it was made, and a
// change the time at which somebody came to own a field. Where no such time is new, there is
// none; where one is, the newest of all counts. To count the new ones alone would let a time
// be planted before: the server's own, equal to it, would be passed over, and a forged one
// beside it would be taken for now.
const clock = `request.operation == 'CREATE' ? [timestamp(object.metadata.creationTimestamp)] : !variables.timed ||
!dyn(object).metadata.?managedFields.orValue([]).exists(m, has(m.time) &&
  !dyn(oldObject).metadata.?managedFields.orValue([]).exists(o, o.?time == m.?time && o.?manager == m.?manager &&
    o.?operation == m.?operation && o.?subresource == m.?subresource)) ? [] :
dyn(object).metadata.managedFields.filter(m, has(m.time)).map(m, timestamp(m.time))`

// timed is whether the newest of these times is the server's. Who owns a field after a
// change was given the time by the server. Who only takes a field away owns none, and may
// have sent any time along: then a label or an annotation has to be new, or the change be
// one of a subresource, in which nobody sends times. A server-side apply sends none either,
// and is not to be told from the rest.
const timed = `request.operation == 'CREATE' || request.?subResource.orValue('') != '' ||
['annotations', 'labels'].exists(k, dyn(object).metadata[?k].orValue({}).exists(l,
  dyn(oldObject).metadata[?k].orValue({})[?l] != optional.of(dyn(object).metadata[k][l])))`

// timedBy is how a rule's requests are known to carry the server's time. What is broken by
// what somebody wrote was owned by them then.
func timedBy(r guardrail.Rule) string {
	if strings.Contains(r.Check, "'missing'") {
		return timed
	}
	return "true"
}
