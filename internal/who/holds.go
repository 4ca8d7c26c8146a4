package who

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// holds lists which fields of a manager are the one that is asked about, lie in it, or
// hold it as a whole.
func holds(entry metav1.ManagedFieldsEntry, f Field, object map[string]any) ([]string, error) {
	if entry.FieldsV1 == nil {
		return nil, nil
	}
	set := &fieldpath.Set{}
	if err := set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
		return nil, err
	}
	leaves := set.Leaves()
	var found []string
	for path := range set.All() {
		rest, fits := walk(path, f.steps, object)
		if !fits || rest > 0 && !leaves.Has(path) {
			continue // an ancestor holds it only where nothing of it is held apart
		}
		found = append(found, path.String())
	}
	slices.Sort(found)
	return found, nil
}

// walk follows a path along the steps. fits is that one leads to the other; rest is how
// many steps go on below the path.
func walk(path fieldpath.Path, steps []step, at any) (rest int, fits bool) {
	for _, element := range path {
		if len(steps) == 0 {
			return 0, true
		}
		s := steps[0]
		if element.FieldName == nil && !s.bracket {
			at = elementOf(at, element) // containers.resources: of any container
			continue
		}
		if !chosen(element, s, at) {
			return 0, false
		}
		at = elementOf(at, element)
		steps = steps[1:]
	}
	return len(steps), true
}

// chosen says whether a step chooses an element.
func chosen(e fieldpath.PathElement, s step, at any) bool {
	switch {
	case e.FieldName != nil:
		return !s.any && s.key == "" && s.name == *e.FieldName
	case s.any:
		return true
	case s.name == "" && s.key == "":
		list, _ := at.([]any)
		return s.number < len(list) && is(e, list[s.number], s.number)
	case e.Key != nil:
		return slices.ContainsFunc(*e.Key, func(f value.Field) bool {
			return (s.key == "" || s.key == f.Name) && text(f.Value) == s.value+s.name
		})
	default:
		return e.Value != nil && s.key == "" && text(*e.Value) == s.name
	}
}

// elementOf goes one element down in the object; nil where it is not there.
func elementOf(at any, e fieldpath.PathElement) any {
	switch node := at.(type) {
	case map[string]any:
		if e.FieldName != nil {
			return node[*e.FieldName]
		}
	case []any:
		for i, item := range node {
			if is(e, item, i) {
				return item
			}
		}
	}
	return nil
}

// is says whether an element of a path means this item of a list.
func is(e fieldpath.PathElement, item any, number int) bool {
	switch {
	case e.Index != nil:
		return *e.Index == number
	case e.Value != nil:
		return value.Equals(*e.Value, value.NewValueInterface(item))
	case e.Key != nil:
		fields, ok := item.(map[string]any)
		return ok && !slices.ContainsFunc(*e.Key, func(f value.Field) bool {
			has, there := fields[f.Name]
			return there && !value.Equals(f.Value, value.NewValueInterface(has))
		})
	}
	return false
}

func text(v value.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return value.ToString(v)
}

// there says whether the object has the field now.
func (f Field) there(at any) bool { return has(at, f.steps) }

func has(at any, steps []step) bool {
	if len(steps) == 0 {
		return at != nil
	}
	s := steps[0]
	switch node := at.(type) {
	case map[string]any:
		return s.key == "" && !s.any && has(node[s.name], steps[1:])
	case []any:
		if !s.bracket {
			return slices.ContainsFunc(node, func(item any) bool { return has(item, steps) })
		}
		for i, item := range node {
			if picks(s, item, i) && has(item, steps[1:]) {
				return true
			}
		}
	}
	return false
}

func picks(s step, item any, number int) bool {
	fields, _ := item.(map[string]any)
	switch {
	case s.any:
		return true
	case s.key != "":
		return text(value.NewValueInterface(fields[s.key])) == s.value
	case s.name != "":
		return fields["name"] == s.name || item == s.name
	default:
		return s.number == number
	}
}
