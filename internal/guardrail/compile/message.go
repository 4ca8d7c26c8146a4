package compile

import (
	"fmt"

	"demarc.dev/demarc/internal/guardrail"
)

// message says the rule, the places, what is allowed, what became of exceptions and how to
// ask for one. It has one line, as the API server takes no more, and is cut before it gets
// too long for it: five places, and so much of a list of what is allowed.
func message(r guardrail.Rule) (string, error) {
	allowed, err := place(r.Allowed, now)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`'%[1]s: ' +
(size(variables.fresh) > 5 ? variables.fresh.slice(0, 5) : variables.fresh).map(f,
  f.at + ' is ' + (f.is.size() > 120 ? f.is.substring(0, 120) + '…' : f.is).replace('\n', ' ')).join(', ') +
(size(variables.fresh) > 5 ? ' and ' + string(size(variables.fresh) - 5) + ' more' : '') +
'; ' + [%[2]s].map(a, a.size() > 800 ? a.substring(0, 800) + '…' : a)[0] +
(size(variables.about) == 0 ? '' : size(variables.clock) == 0 ?
  '. The exception ' + variables.about[0].name + ' does not count here, as this request carries no time: change the object itself, and a label or an annotation of it along with what is taken away' :
  variables.about.filter(e, timestamp(e.expires) == variables.about.map(a, timestamp(a.expires)).max()).map(e, '. The exception ' + e.name + ' ended at ' + string(timestamp(e.expires)))[0]) +
'. To ask for an exception: demarc exception request ' + variables.team + ' --rule %[1]s'`, r.ID, allowed), nil
}

// used notes each use of an exception in the audit log. Of the set deny alone: an error in
// an annotation refuses the request whatever the binding does, and nothing but deny may.
const used = `params.metadata.name.startsWith('deny') && size(variables.about) > 0 && size(variables.fresh) > 0 && size(variables.holding) > 0 ?
variables.holding[0].name + ' until ' + string(timestamp(variables.holding[0].expires)) + ': ' + variables.fresh.map(f, f.at).join(', ') : ''`
