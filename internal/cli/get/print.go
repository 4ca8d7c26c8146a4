package get

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/table"
	"demarc.dev/demarc/internal/cli/target"
)

// show writes objects as they were asked for; single is for one that was named.
func show(o *Options, items []unstructured.Unstructured, single bool) error {
	for i := range items {
		items[i].SetManagedFields(nil)
	}
	var err error
	switch o.Output {
	case "json", "yaml":
		err = document(o, items, single)
	case "name":
		for _, item := range items {
			_, err = fmt.Fprintf(o.IO.Out, "%s.demarc.dev/%s\n", strings.ToLower(o.Kind.Name), plain.Line(item.GetName()))
		}
	default:
		err = rows(o, items).Write(o.IO.Out)
	}
	if err != nil {
		return exit.Failed("cannot write the output: "+err.Error(), "")
	}
	return nil
}

func document(o *Options, items []unstructured.Unstructured, single bool) error {
	var whole any = map[string]any{"apiVersion": "v1", "kind": "List", "items": append([]unstructured.Unstructured{}, items...)}
	if single {
		whole = items[0].Object
	}
	raw, err := json.MarshalIndent(whole, "", "    ")
	if err != nil {
		return err
	}
	text := plain.JSON(string(raw)) + "\n"
	if o.Output == "yaml" {
		if raw, err = yaml.JSONToYAML(raw); err != nil {
			return err
		}
		text = o.IO.Data(string(raw))
	}
	_, err = io.WriteString(o.IO.Out, text)
	return err
}

// column is a head and how its cell is read.
type column struct {
	head string
	cell func(*unstructured.Unstructured) string
}

// columns are those that kubectl prints for the kind.
func columns(o *Options) []column {
	columns := []column{{"NAME", func(u *unstructured.Unstructured) string { return u.GetName() }}}
	if o.Kind.Name == target.Tenant.Name {
		columns = append(columns,
			column{"NAMESPACE", field("status", "namespace")},
			column{"CPU", field("spec", "resources", "cpu")},
			column{"MEMORY", field("spec", "resources", "memory")},
			column{"PODS", field("spec", "resources", "pods")})
	} else {
		columns = append(columns,
			column{"TEAM", field("spec", "team")},
			column{"IMAGE", field("spec", "image")},
			column{"REPLICAS", field("spec", "replicas")})
	}
	columns = append(columns,
		column{"READY", ready("status")},
		column{"REASON", ready("reason")},
		column{"AGE", func(u *unstructured.Unstructured) string { return age(u, o.Clock.Now()) }})
	if o.Output == "wide" {
		columns = append(columns, column{"MESSAGE", ready("message")})
	}
	return columns
}

func rows(o *Options, items []unstructured.Unstructured) table.Table {
	columns := columns(o)
	var t table.Table
	painted := 0
	for i, c := range columns {
		t.Head = append(t.Head, c.head)
		if c.head == "READY" {
			painted = i
		}
	}
	for i := range items {
		var cells []string
		for _, c := range columns {
			cells = append(cells, c.cell(&items[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Paint = func(_, column int, cell string) string {
		if column != painted {
			return cell
		}
		return o.IO.Paint(colour(cell), cell)
	}
	return t
}

func colour(ready string) string {
	switch ready {
	case "True":
		return factory.Good
	case "False":
		return factory.Bad
	default:
		return factory.Wait
	}
}

// field is a value as text; empty where it is absent.
func field(path ...string) func(*unstructured.Unstructured) string {
	return func(u *unstructured.Unstructured) string {
		value, ok, err := unstructured.NestedFieldNoCopy(u.Object, path...)
		if !ok || err != nil || value == nil {
			return ""
		}
		return fmt.Sprint(value)
	}
}

// ready is a part of the condition Ready.
func ready(part string) func(*unstructured.Unstructured) string {
	return func(u *unstructured.Unstructured) string {
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, c := range conditions {
			if c, ok := c.(map[string]any); ok && c["type"] == "Ready" {
				text, _ := c[part].(string)
				return text
			}
		}
		return ""
	}
}

func age(u *unstructured.Unstructured, now time.Time) string {
	made := u.GetCreationTimestamp()
	if made.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(made.Time))
}
