package triage

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/secretshape"
)

// domainOfShared is the failure domain of a thing that several teams use.
var domainOfShared = map[string]string{
	"APIService":                     "control-plane",
	"Node":                           "node-pools",
	"Registry":                       "cluster-incidents",
	"StorageClass":                   "storage",
	"Issuer":                         "cluster-incidents",
	"IngressClass":                   "cluster-incidents",
	"ValidatingAdmissionPolicy":      "security-policies",
	"Webhook":                        "security-policies",
	"ClusterSecretStore":             "cluster-incidents",
	"Repository":                     "configuration-drift",
	"NodeSelector":                   "node-pools",
	"ValidatingWebhookConfiguration": "security-policies",
}

// promote makes one finding of what several find of one thing that they share. Where two or
// more teams do it is the platform's then, and theirs follow from it.
func promote(w *world, all []found) []found {
	type key struct {
		id    string
		thing finding.Object
	}
	members, order := map[key][]int{}, []key{}
	for i, f := range all {
		for _, thing := range f.shares {
			k := key{f.id, thing}
			if members[k] == nil {
				order = append(order, k)
			}
			members[k] = append(members[k], i)
		}
	}
	for _, k := range order {
		if one, ok := w.common(all, k.id, k.thing, members[k]); ok {
			for _, i := range members[k] {
				all[i].after = append([]cause{{k.thing, []string{k.id}}}, all[i].after...)
			}
			all = append(all, one)
		}
	}
	return all
}

// common is the one finding of several about a thing that they share; there is none where a
// single workload meets it.
func (w *world) common(all []found, id string, thing finding.Object, members []int) (one found, ok bool) {
	sides, whose := map[string]bool{}, map[string]bool{}
	for _, i := range members {
		sides[w.side(all[i].home())] = true
		whose[words(all[i].object)] = true
	}
	if len(whose) < 2 {
		return found{}, false
	}
	first := all[members[0]]
	one = found{id: id, object: thing, part: "common", space: first.home(), domains: first.domains, args: first.args, severity: first.severity}
	meet := slices.Sorted(maps.Keys(whose))
	if len(sides) > 1 {
		meet = slices.Sorted(maps.Keys(sides))
		one.part, one.space, one.domains = shared, "", []string{domainOfShared[thing.Kind]}
		one.because = fmt.Sprintf("%s share it: what several owners meet at one %s at once is no single team's", joined(meet), strings.ToLower(thing.Kind))
	}
	if thing.Kind == "Node" {
		one.after = []cause{{thing, nodeTrouble}}
	}
	// Each of them may read it: it names nothing that is another's.
	one.message = fmt.Sprintf("%s meet the same at %s: %s", joined(meet), words(thing), lower(Of(id).Title))
	for _, i := range members {
		one.evidence = append(one.evidence, all[i].evidence[:min(2, len(all[i].evidence))]...)
	}
	one.evidence = one.evidence[:min(most, len(one.evidence))]
	return one, true
}

// lower is a title in a sentence.
func lower(title string) string {
	return strings.ToLower(title[:min(1, len(title))]) + title[min(1, len(title)):]
}

// shared is the part of a finding that several sides meet.
const shared = "shared"

// words name an object in a sentence.
func words(o finding.Object) string {
	name := strings.ToLower(o.Kind) + " " + o.Name
	if o.Namespace != "" {
		name += " in " + o.Namespace
	}
	return name
}

// said are the cluster's own words, as one line, without what is new at each attempt. What looks
// like a secret is left out before they are cut: half of one does not look like it.
func said(text string) string {
	return madeUp.ReplaceAllString(readiness.Normalise(secretshape.Lines(text)), "$1<id>")
}

// madeUp are ids of sandboxes and containers, of which each attempt has another. The digest of an
// image is none.
var madeUp = regexp.MustCompile(`(^|[\s"'/])[0-9a-f]{32,64}\b`)

func joined(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}
