package drift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// field is a path of names, as far as it goes.
func field(names ...string) fieldpath.Path {
	var p fieldpath.Path
	for _, name := range names {
		p = append(p, fieldpath.PathElement{FieldName: &name})
	}
	return p
}

// with is a path that goes one element further.
func with(p fieldpath.Path, e fieldpath.PathElement) fieldpath.Path {
	return append(slices.Clip(p.Copy()), e)
}

// words is a path as people write it: spec.containers[web].image.
func words(p fieldpath.Path) string {
	var b strings.Builder
	for _, e := range p {
		switch {
		case e.FieldName != nil && strings.ContainsAny(*e.FieldName, "./[]"):
			b.WriteString("[" + strconv.Quote(*e.FieldName) + "]")
		case e.FieldName != nil:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(*e.FieldName)
		case e.Key != nil:
			b.WriteString("[" + keyWords(*e.Key) + "]")
		case e.Value != nil:
			b.WriteString("[=" + scalar(*e.Value) + "]")
		case e.Index != nil:
			b.WriteString("[" + strconv.Itoa(*e.Index) + "]")
		}
	}
	return b.String()
}

func keyWords(key value.FieldList) string {
	if len(key) == 1 && key[0].Name == "name" {
		return scalar(key[0].Value)
	}
	var parts []string
	for _, f := range key {
		parts = append(parts, f.Name+"="+scalar(f.Value))
	}
	return strings.Join(parts, ",")
}

func scalar(v value.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return value.ToString(v)
}

// names are the elements of a path that are no choice among those of a list.
func names(p fieldpath.Path) (list []string) {
	for _, e := range p {
		if e.FieldName != nil {
			list = append(list, *e.FieldName)
		}
	}
	return list
}

// dotted is a path as a contract names fields.
func dotted(p fieldpath.Path) string { return strings.Join(names(p), ".") }

// at is what an object has at a path; ok is whether it is there.
func at(node any, p fieldpath.Path) (any, bool) {
	for _, e := range p {
		switch n := node.(type) {
		case map[string]any:
			if e.FieldName == nil {
				return nil, false
			}
			below, ok := n[*e.FieldName]
			if !ok {
				return nil, false
			}
			node = below
		case []any:
			i := indexOf(n, e)
			if i < 0 {
				return nil, false
			}
			node = n[i]
		default:
			return nil, false
		}
	}
	return node, true
}

// indexOf is where in a list an element is, -1 where it is not.
func indexOf(list []any, e fieldpath.PathElement) int {
	return slices.IndexFunc(list, func(item any) bool {
		switch {
		case e.Value != nil:
			return value.Equals(*e.Value, value.NewValueInterface(item))
		case e.Key != nil:
			fields, ok := item.(map[string]any)
			return ok && !slices.ContainsFunc(*e.Key, func(f value.Field) bool {
				has, there := fields[f.Name]
				return !there || !value.Equals(f.Value, value.NewValueInterface(has))
			})
		}
		return false
	})
}

// without takes what is at a path out of an object, which is changed.
func without(node any, p fieldpath.Path) {
	last := p[len(p)-1]
	above, _ := at(node, p[:len(p)-1])
	switch n := above.(type) {
	case map[string]any:
		if last.FieldName != nil {
			delete(n, *last.FieldName)
		}
	case []any:
		if i := indexOf(n, last); i >= 0 && len(p) > 1 {
			put(node, p[:len(p)-1], slices.Delete(slices.Clone(n), i, i+1))
		}
	}
}

// put sets what is at a path that ends in a name.
func put(node any, p fieldpath.Path, v any) {
	above, _ := at(node, p[:len(p)-1])
	if n, ok := above.(map[string]any); ok && p[len(p)-1].FieldName != nil {
		n[*p[len(p)-1].FieldName] = v
	}
}

// pointer is a path as a JSON pointer into an object.
func pointer(object any, p fieldpath.Path) string {
	var b strings.Builder
	node := object
	for i, e := range p {
		if e.FieldName != nil {
			b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(*e.FieldName))
		} else if list, ok := node.([]any); ok {
			fmt.Fprintf(&b, "/%d", indexOf(list, e))
		}
		node, _ = at(object, p[:i+1])
	}
	return b.String()
}
