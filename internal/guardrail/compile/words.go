package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// word is what stands for a part of the object in a rule's check: $podSpec for the
// spec of its pods, which is empty where the kind has none. Of each there are two, one for the object and one for what it was
// before, and a policy has those that its check needs.
type word struct{ name, means string }

// words, each after those that it needs.
var words = []word{
	{"at", `$object.kind == 'Pod' ? 'spec.' : $object.kind == 'CronJob' ? 'spec.jobTemplate.spec.template.spec.' : 'spec.template.spec.'`},
	{"podSpec", `$object.kind == 'Pod' ? $object.spec :
$object.kind == 'CronJob' ? $object.spec.jobTemplate.spec.template.spec : $object.?spec.template.spec.orValue({})`},
	{"podMetadata", `$object.kind == 'Pod' ? $object.metadata :
$object.kind == 'CronJob' ? $object.spec.jobTemplate.spec.template.?metadata.orValue({}) : $object.?spec.template.metadata.orValue({})`},
	{"metadataAt", `$object.kind == 'Pod' ? 'metadata.' : $object.kind == 'CronJob' ? 'spec.jobTemplate.spec.template.metadata.' : 'spec.template.metadata.'`},
	// What Windows has not is not asked of it.
	{"linux", `$podSpec.?os.name.orValue('') != 'windows'`},
	// Containers that run as long as the pod does, and those before them; sidecars are among the latter.
	{"main", `$podSpec.?containers.orValue([]).map(c, {'at': dyn($at + 'containers[' + c.name + '].'), 'c': c}) +
$podSpec.?initContainers.orValue([]).map(c, {'at': dyn($at + 'initContainers[' + c.name + '].'), 'c': c})`},
	{"containers", `$main +
$podSpec.?ephemeralContainers.orValue([]).map(c, {'at': dyn($at + 'ephemeralContainers[' + c.name + '].'), 'c': c})`},
	{"volumes", `$podSpec.?volumes.orValue([]).map(v, {'at': dyn($at + 'volumes[' + v.name + '].'), 'v': v})`},
	// The name in full is what the kubelet pulls: where the first part is no host, Docker's registry is meant.
	{"images", `($containers.map(x, {'at': string(x.at) + 'image', 'is': string(x.c.?image.orValue(''))}) +
$volumes.filter(x, has(x.v.image)).map(x, {'at': string(x.at) + 'image.reference', 'is': string(x.v.image.?reference.orValue(''))})
).filter(i, i.is != '').map(i, {'at': i.at, 'is': i.is, 'host': i.is.contains('/') ? i.is.split('/')[0] : ''}).map(i, {'at': i.at, 'is': i.is,
  'full': i.host.contains('.') || i.host.contains(':') || i.host == 'localhost' || i.host != i.host.lowerAscii() ? i.is : 'docker.io/' + i.is}).map(i, {'at': i.at, 'is': i.is,
  'full': i.full.replace('index.docker.io/', 'docker.io/', 1).split('@')[0]}).map(i, {'at': i.at, 'is': i.is,
  'full': i.full.startsWith('docker.io/') && i.full.split('/').size() == 2 ? i.full.replace('docker.io/', 'docker.io/library/', 1) : i.full})`},
	// Whoever answers for a host, by whichever part of an Ingress or a route.
	{"hosts", `($object.kind != 'Ingress' ? ($object.spec.?hostnames.orValue([]).size() == 0 ? [{'at': 'spec.hostnames', 'is': 'missing'}] :
  $object.spec.hostnames.map(h, {'at': 'spec.hostnames', 'is': string(h)})) :
$object.spec.?rules.orValue([]).map(r, r.?host.orValue('') == '' ? {'at': 'spec.rules.host', 'is': 'missing'} : {'at': 'spec.rules[' + r.host + '].host', 'is': string(r.host)}) +
$object.spec.?tls.orValue([]).map(t, t.?hosts.orValue([]).map(h, {'at': 'spec.tls.hosts', 'is': string(h)})).flatten() +
($object.spec.?defaultBackend.hasValue() ? [{'at': 'spec.defaultBackend', 'is': 'every host'}] : []) +
$object.metadata.?annotations.orValue({}).map(k, string(k)).filter(k, k.matches('/server-alias(-regex)?$')).map(k, $object.metadata.annotations[k].split(',').map(h,
  {'at': 'metadata.annotations[' + k + ']', 'is': (k.endsWith('-regex') ? '~' : '') + h.trim()})).flatten()).map(h, {'at': h.at, 'is': h.is.lowerAscii()})`},
}

var reference = regexp.MustCompile(`\$([a-zA-Z]+)`)

// side is which of the two objects an expression is about, and how it gets at words.
type side int

const (
	// now is the object that is asked for, before the one that was there: words are variables.
	now side = iota
	before
	// alone is the object that is asked for where there are no variables yet: words are
	// bound in the expression itself.
	alone
)

// place puts an object into an expression.
func place(expression string, of side) (string, error) {
	var unknown error
	out := reference.ReplaceAllStringFunc(expression, func(ref string) string {
		name := ref[1:]
		switch {
		case name == "object" && of == before:
			return "dyn(oldObject)"
		case name == "object":
			return "dyn(object)"
		case name == "limits":
			return "params.spec.?limits"
		case (name == "team" || name == "domains" || name == "foreign") && of != alone:
			return "variables." + name
		case !slices.ContainsFunc(words, func(w word) bool { return w.name == name }):
			unknown = fmt.Errorf("there is no $%s here", name)
			return ref
		case of == alone:
			return name
		case of == before:
			return "variables." + name + "Before"
		}
		return "variables." + name
	})
	return out, unknown
}

// bound is an expression with its words bound, each to a list of one: CEL has no let.
func bound(expression string) (string, error) {
	out, err := place(expression, alone)
	list := needed(expression)
	for i := len(list) - 1; i >= 0 && err == nil; i-- {
		var means string
		means, err = place(list[i].means, alone)
		out = fmt.Sprintf("[%s].exists(%s,\n%s)", means, list[i].name, out)
	}
	return out, err
}

// needed are the words of an expression, and those that these need, in their order.
func needed(expression string) []word {
	names := map[string]bool{}
	var note func(string)
	note = func(text string) {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			if i := slices.IndexFunc(words, func(w word) bool { return w.name == m[1] }); i >= 0 && !names[m[1]] {
				names[m[1]] = true
				note(words[i].means)
			}
		}
	}
	note(expression)
	return slices.DeleteFunc(slices.Clone(words), func(w word) bool { return !names[w.name] })
}

// variable of a policy.
func variable(name, expression string) admissionv1.Variable {
	return admissionv1.Variable{Name: name, Expression: strings.TrimSpace(expression)}
}
