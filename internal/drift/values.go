package drift

import (
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"demarc.dev/demarc/internal/subset"
)

// pair is a field that is declared and differs.
type pair struct {
	path           fieldpath.Path
	declared, live any
	// gone says that the object does not have the field.
	gone bool
}

// comparison walks what was declared, beside the same with the server's defaults and what
// is live. Where the kind's defaults are not known more in a list is no difference.
type comparison struct {
	loose bool
	pairs []pair
}

func (c *comparison) walk(p fieldpath.Path, said, filled, live any) {
	switch s := said.(type) {
	case nil:
		return // declared as nothing
	case map[string]any:
		f, _ := filled.(map[string]any)
		l, isMap := live.(map[string]any)
		if live != nil && !isMap {
			c.pairs = append(c.pairs, pair{path: p, declared: said, live: live})
			return
		}
		in := comparison{loose: c.loose}
		for _, name := range sortedKeys(s) {
			in.walk(with(p, fieldpath.PathElement{FieldName: &name}), s[name], f[name], l[name])
		}
		if live == nil && len(in.pairs) > 0 && dotted(p) != "metadata.labels" && dotted(p) != "metadata.annotations" {
			in.pairs = []pair{{path: p, declared: filled, gone: true}} // gone as a whole
		}
		c.pairs = append(c.pairs, in.pairs...)
	case []any:
		c.list(p, s, filled, live)
	default:
		c.leaf(p, said, filled, live)
	}
}

func (c *comparison) list(p fieldpath.Path, said []any, filled, live any) {
	f, _ := filled.([]any)
	l, _ := live.([]any)
	elements, keyed := elementsOf(p, f)
	if keyed {
		_, keyed = elementsOf(p, l)
	}
	if !keyed || len(f) != len(said) {
		c.leaf(p, said, filled, live)
		return
	}
	for i, e := range elements {
		below := with(p, e)
		if at := indexOf(l, e); at >= 0 {
			c.walk(below, said[i], f[i], l[at])
		} else {
			c.pairs = append(c.pairs, pair{path: below, declared: f[i], gone: true})
		}
	}
}

func (c *comparison) leaf(p fieldpath.Path, said, filled, live any) {
	if equal(filled, live) || c.loose && subset.Within(said, live) {
		return
	}
	declared := said
	if filled != nil {
		declared = filled
	}
	c.pairs = append(c.pairs, pair{path: p, declared: declared, live: live, gone: live == nil})
}

// keys by which elements of lists are told apart, by the name of the list.
var keys = map[string][][]string{
	"containers": {{"name"}}, "initContainers": {{"name"}}, "ephemeralContainers": {{"name"}}, "env": {{"name"}}, "volumes": {{"name"}},
	"imagePullSecrets": {{"name"}}, "webhooks": {{"name"}}, "secrets": {{"name"}}, "resourceClaims": {{"name"}},
	"ports":        {{"containerPort", "protocol"}, {"port", "protocol"}},
	"volumeMounts": {{"mountPath"}}, "volumeDevices": {{"devicePath"}}, "hostAliases": {{"ip"}},
	"topologySpreadConstraints": {{"topologyKey", "whenUnsatisfiable"}}, "ownerReferences": {{"uid"}},
}

// elementsOf are the elements of a list by their keys; keyed is false for a list that is
// one value.
func elementsOf(p fieldpath.Path, list []any) (elements []fieldpath.PathElement, keyed bool) {
	last := p[len(p)-1].FieldName
	if last == nil {
		return nil, false
	}
	for _, key := range keys[*last] {
		if elements, ok := byKey(key, list); ok {
			return elements, true
		}
	}
	return nil, len(list) == 0 && keys[*last] != nil
}

func byKey(key []string, list []any) (elements []fieldpath.PathElement, ok bool) {
	seen := map[string]bool{}
	for _, item := range list {
		fields, isMap := item.(map[string]any)
		var of value.FieldList
		for _, name := range key {
			if v, there := fields[name]; isMap && there {
				of = append(of, value.Field{Name: name, Value: value.NewValueInterface(v)})
			}
		}
		e := fieldpath.PathElement{Key: &of}
		if len(of) != len(key) || seen[e.String()] {
			return nil, false
		}
		seen[e.String()] = true
		elements = append(elements, e)
	}
	return elements, len(list) > 0
}

// equal compares decoded JSON; what is empty is as what is not there.
func equal(a, b any) bool { return empty(a) && empty(b) || subset.Within(a, b) && subset.Within(b, a) }

func empty(v any) bool {
	switch n := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(n) == 0
	case []any:
		return len(n) == 0
	}
	return false
}

func sortedKeys(m map[string]any) []string {
	list := make([]string, 0, len(m))
	for key := range m {
		list = append(list, key)
	}
	slices.SortFunc(list, strings.Compare)
	return list
}
