package who_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

// managed is an object with all sorts of elements: by key, by several keys, by value, by
// number, atomic ones and keys of maps.
const managed = `
apiVersion: v1
kind: Service
metadata:
  namespace: team-a
  name: s
  finalizers: [example.com/a, example.com/b]
  labels: {app: s, example.com/tier: web}
  managedFields:
  - manager: whole
    operation: Apply
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:selector": {}, "f:list": {"i:0": {}}}}
  - manager: first
    operation: Apply
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata: {"f:finalizers": {'v:"example.com/a"': {}}, "f:labels": {".": {}, "f:app": {}, "f:example.com/tier": {}}}
      f:spec: {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:targetPort": {}}}}
  - manager: second
    operation: Update
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata: {"f:finalizers": {'v:"example.com/b"': {}}}
      f:spec: {"f:ports": {'k:{"port":443,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:targetPort": {}}}}
spec:
  selector: {app: s}
  list: [x]
  ports:
  - {port: 443, protocol: TCP, targetPort: 8443}
  - {port: 80, protocol: TCP, targetPort: 8080}
`

func TestWhoHoldsAField(t *testing.T) {
	objects, err := snapshot.Parse([]byte(managed))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{}
	set.Add(objects...)
	o, _ := who.ParseKind("service", set)
	o.Namespace, o.Name = "team-a", "s"
	for field, want := range map[string]string{
		"spec.selector":                       "whole",
		"spec.selector.app":                   "whole",
		"spec":                                "first second whole",
		"spec.list[0]":                        "whole",
		"spec.list[1]":                        "",
		"spec.ports[0].targetPort":            "second",
		"spec.ports[1].targetPort":            "first",
		"spec.ports[2].targetPort":            "",
		"spec.ports[port=80].targetPort":      "first",
		"spec.ports[80].targetPort":           "",
		"spec.ports[*].targetPort":            "first second",
		"spec.ports.targetPort":               "first second",
		"spec.ports[port=80].nodePort":        "",
		"metadata.finalizers":                 "first second",
		"metadata.finalizers[0]":              "first",
		"metadata.finalizers[example.com/b]":  "second",
		"metadata.labels.app":                 "first",
		`metadata.labels["example.com/tier"]`: "first",
		`metadata.labels.example\.com/tier`:   "first",
		"metadata.labels.other":               "",
		"status":                              "",
	} {
		f, err := who.ParseField(field)
		if err != nil {
			t.Fatal(err)
		}
		var held []string
		for _, c := range who.Decide(set, who.Question{From: who.FromCluster, Object: &o, Field: f}).Changed {
			held = append(held, c.Manager)
		}
		if got := strings.Join(held, " "); got != want {
			t.Errorf("%s is held by %q, want %q", field, got, want)
		}
	}
}

// What is in managed fields is data: what cannot be read is said.
func TestBrokenManagedFields(t *testing.T) {
	objects, err := snapshot.Parse([]byte(strings.Replace(managed, `"i:0"`, `"i:x"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{}
	set.Add(objects...)
	o, _ := who.ParseKind("service", set)
	o.Namespace, o.Name = "team-a", "s"
	f, _ := who.ParseField("spec.ports")
	d := who.Decide(set, who.Question{From: who.FromCluster, Object: &o, Field: f})
	if len(d.Changed) != 2 || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "The managed fields of whole cannot be read") {
		t.Errorf("it says %+v, notes %q", d.Changed, d.Notes)
	}
}
