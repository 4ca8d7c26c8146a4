package dump

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/secretshape"
	"demarc.dev/demarc/internal/snapshot"
)

// copies are annotations that hold what was applied: all that is left out elsewhere once more.
var copies = []string{
	"kubectl.kubernetes.io/last-applied-configuration", "kapp.k14s.io/original", "objectset.rio.cattle.io/applied",
	"banzaicloud.com/last-applied", "kopf.zalando.org/last-handled-configuration",
}

// labels are fields of which a text is left out by its shape alone: what selects by them would
// miss what was left out.
var labels = []string{"labels", "matchLabels", "selector", "nodeSelector"}

// free are fields whose keys are users' own words, in all depths below.
var free = []string{"annotations", "values", "valuesObject", "env", "headers", "map", "parameters", "params", "options", "volumeAttributes"}

// valued are fields that hold what a field "name" beside them names.
var valued = []string{"value", "string", "array", "map", "values", "default", "defaultValue", "content"}

// secret are fields of many kinds that hold a secret.
var secret = []string{"password", "passwd", "token", "secret", "apiKey", "accessKey", "clientSecret", "privateKey", "credentials"}

// identity are fields by which objects find each other, or that a colon belongs to.
var identity = []string{"apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "generateName", "nodeName", "fieldsV1", "image", "imageID"}

// cleaner leaves out what looks like a secret, and counts it by rule.
type cleaner struct{ left map[string]int }

// clean is a copy of an object without secrets: of a Secret who it is alone, of all others
// what internal/secretshape finds.
func (c cleaner) clean(o snapshot.Object) snapshot.Object {
	o = o.DeepCopy()
	gvk := o.GroupVersionKind()
	isSecret := gvk.Group == "" && gvk.Kind == "Secret"
	if isSecret {
		for field := range o.Object {
			if !slices.Contains([]string{"apiVersion", "kind", "metadata", "type"}, field) {
				delete(o.Object, field)
			}
		}
	}
	if metadata, _ := o.Object["metadata"].(map[string]any); metadata != nil {
		annotations, _ := metadata["annotations"].(map[string]any)
		for _, key := range copies {
			delete(annotations, key)
		}
		if isSecret || len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	c.fields(o.Object, spot{top: true})
	return o
}

// spot is where in an object something stands.
type spot struct {
	top bool
	// key of it, and users that its keys are users' words.
	key   string
	users bool
	// under is the nearest name above it that is a secret's, empty where there is none.
	under string
}

// below is the place of a key in a map, which has a name where one stands beside it.
func (at spot) below(key, name string) spot {
	in := spot{key: key, users: at.users || slices.Contains(free, key) || at.top && key == "data", under: at.under}
	switch {
	case slices.Contains(valued, key) && secretshape.Field(name, "x", "") != "":
		in.under = name
	case key == "fake": // a store of External Secrets that holds its secrets itself
		in.under = "secret"
	case (in.users || slices.Contains(secret, key)) && secretshape.Field(key, "x", "") != "":
		in.under = key
	}
	return in
}

// refers says that a map tells where a secret is, and holds none.
func refers(in map[string]any) bool {
	_, named := in["name"].(string)
	_, keyed := in["key"].(string)
	_, items := in["items"].([]any)
	return named && keyed || items || in["secretName"] != nil
}

func (c cleaner) fields(in map[string]any, at spot) {
	name, _ := in["name"].(string)
	if refers(in) {
		at.under = ""
	}
	for key, value := range in {
		below := at.below(key, name)
		switch v := value.(type) {
		case string:
			in[key] = c.field(v, name, below, at)
		case map[string]any:
			if key != "fieldsV1" {
				c.fields(v, below)
			}
		case []any:
			c.items(v, below)
		case int64, float64:
			if rule := secretshape.Field(key, fmt.Sprint(v), at.under); rule != "" && at.users {
				in[key] = c.leave(rule)
			}
		}
	}
}

// field is a text; name is what stands beside it as one, and in the map that it is in.
func (c cleaner) field(text, name string, at, in spot) string {
	switch {
	case slices.Contains(valued, at.key) && name != "":
		return c.variable(name, text, in.under)
	case at.users && at.key == "values" && !in.users:
		return c.settings(text)
	case in.users:
		return c.variable(at.key, text, in.under)
	case slices.Contains(labels, in.key):
		return c.text(text)
	case slices.Contains(secret, at.key):
		return c.variable("SECRET", text, "")
	case slices.Contains(identity, at.key):
		return c.text(text)
	case slices.Contains(clocks, at.key):
		return text
	case in.under != "":
		return c.variable(at.key, text, in.under)
	}
	return c.lines(text)
}

// settings are a chart's values as a text.
func (c cleaner) settings(text string) string {
	var values map[string]any
	before := c.count()
	if yaml.Unmarshal([]byte(text), &values) == nil {
		c.fields(values, spot{key: "values", users: true})
	}
	if c.count() > before {
		if clean, err := yaml.Marshal(values); err == nil {
			text = string(clean)
		}
	}
	return c.lines(text)
}
