package keep

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/snapshot"
)

// applied is the operator's hash of what it wrote.
const applied = "demarc.dev/applied"

// clean takes out what says nothing, and counts that grow while one looks.
func clean(o snapshot.Object, s Scene) {
	if !slices.Contains(s.Also, "managedFields") {
		unstructured.RemoveNestedField(o.Object, "metadata", "managedFields")
	}
	each(o.Object, func(one map[string]any) { delete(one, "fieldsV1") }, "metadata", "managedFields")
	if marks := o.GetAnnotations(); marks[applied] != "" {
		marks[applied] = sum(o.GetKind(), o.GetName())[:16] // of uids among others
		o.SetAnnotations(marks)
	}
	switch o.GetKind() {
	case "Tenant", "ServiceClaim":
		undiagnosed(o)
	case "Event":
		for _, path := range [][]string{{"count"}, {"series", "count"}} {
			if _, has, _ := unstructured.NestedFieldNoCopy(o.Object, path...); has {
				_ = unstructured.SetNestedField(o.Object, int64(len(path)), path...)
			}
		}
		unstructured.RemoveNestedField(o.Object, "involvedObject", "resourceVersion")
		who, _, _ := unstructured.NestedString(o.Object, "reportingComponent")
		if where, _, _ := unstructured.NestedString(o.Object, "reportingInstance"); strings.HasPrefix(where, who+"-") {
			o.Object["reportingInstance"] = who // and not on which machine
		}
	case "Node":
		each(o.Object, func(one map[string]any) {
			if _, has := one["lastHeartbeatTime"]; has {
				one["lastHeartbeatTime"] = s.Begin.UTC().Format(time.RFC3339)
			}
		}, "status", "conditions")
	case "Service":
		n := int64(30080)
		each(o.Object, func(one map[string]any) {
			if _, has := one["nodePort"]; has {
				one["nodePort"] = n
				n++
			}
		}, "spec", "ports")
	}
}

// undiagnosed takes out what the operator found itself, by the checks that are tried here.
func undiagnosed(o snapshot.Object) {
	unstructured.RemoveNestedField(o.Object, "status", "findings")
	conditions, has, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	if !has {
		return
	}
	conditions = slices.DeleteFunc(conditions, func(c any) bool {
		one, _ := c.(map[string]any)
		return one["type"] == "Diagnosed"
	})
	_ = unstructured.SetNestedSlice(o.Object, conditions, "status", "conditions")
}

func each(in map[string]any, do func(map[string]any), path ...string) {
	list, _, _ := unstructured.NestedFieldNoCopy(in, path...)
	items, _ := list.([]any)
	for _, item := range items {
		if one, ok := item.(map[string]any); ok {
			do(one)
		}
	}
}

// events gives each Event a name that follows from what it says; of those that say the same
// one is left.
func events(list []snapshot.Object) (out []snapshot.Object) {
	seen := map[string]bool{}
	for _, o := range list {
		if o.GetKind() == "Event" {
			of, _, _ := unstructured.NestedString(o.Object, "involvedObject", "name")
			kind, _, _ := unstructured.NestedString(o.Object, "involvedObject", "kind")
			name := fmt.Sprintf("%s.%.16s", of, sum(kind, o.Object["reason"], o.Object["message"]))
			if seen[o.GetNamespace()+"/"+name] {
				continue
			}
			seen[o.GetNamespace()+"/"+name] = true
			o.SetName(name)
			o.SetUID(uidOf(o))
		}
		out = append(out, o)
	}
	return out
}

func sum(parts ...any) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprintf("%q", parts))))
}

var numbered = []struct {
	found *regexp.Regexp
	made  func(n int) string
}{
	{regexp.MustCompile(`\b10\.244\.\d+\.\d+\b`), func(n int) string { return fmt.Sprintf("10.244.0.%d", 10+n) }},
	{regexp.MustCompile(`\b10\.96\.\d+\.\d+\b`), func(n int) string { return fmt.Sprintf("10.96.0.%d", 10+n) }},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), func(n int) string { return sum("commit", n)[:40] }},
	{regexp.MustCompile(`\b127\.0\.0\.1:\d{4,5}\b`), func(n int) string { return fmt.Sprintf("127.0.0.1:%d", 20001+n) }},
	{regexp.MustCompile(`\bkube-api-access-[a-z0-9]{5}\b`), func(n int) string { return "kube-api-access-" + suffix("access", fmt.Sprint(n)) }},
}

// made numbers what is made up by a server, in the order in which it stands.
func made(text string) string {
	for _, kind := range numbered {
		known := map[string]string{}
		text = kind.found.ReplaceAllStringFunc(text, func(m string) string {
			if known[m] == "" {
				known[m] = kind.made(len(known))
			}
			return known[m]
		})
	}
	return text
}

func sortedKeys(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	return keys
}
