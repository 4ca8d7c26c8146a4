package drift

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/snapshot"
)

var secretKind = schema.GroupKind{Kind: "Secret"}

// normal is an object as the API server writes it: quantities and numbers in one notation,
// in the version that is asked for. With defaults the server's are filled in. What is of no
// kind of Kubernetes' own is as it was; ok is whether the version could be had.
func normal(o map[string]any, as schema.GroupVersionKind, defaults bool) (out map[string]any, ok bool) {
	u := &unstructured.Unstructured{Object: o}
	from := u.GroupVersionKind()
	typed, err := admitted.Typed(u)
	if err != nil || !admitted.Builtin(from) {
		return o, from == as
	}
	if defaults {
		admitted.Default(typed)
	}
	if from != as {
		into, err := converter.New(as)
		if err != nil || converter.Convert(typed, into, nil) != nil {
			return o, false
		}
		typed = into
	}
	out, err = runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return o, false
	}
	return out, true
}

var converter = admitted.NewInterfaces()

// defaulted says whether what an object has at a path is what the API server would put there
// where nobody says anything.
func defaulted(o snapshot.Object, p fieldpath.Path) bool {
	gvk := o.GroupVersionKind()
	if !admitted.Builtin(gvk) || len(p) == 0 {
		return false
	}
	bare := o.DeepCopy()
	without(bare.Object, p)
	filled, ok := normal(bare.Object, gvk, true)
	if !ok {
		return false
	}
	live, _ := normal(o.Object, gvk, false)
	have, there := at(live, p)
	would, _ := at(filled, p)
	return there && equal(would, have)
}

// folded is a declared object with what it says of a Secret as text among its data, where
// the API server keeps it.
func folded(o map[string]any) map[string]any {
	u := &unstructured.Unstructured{Object: o}
	text, found, err := unstructured.NestedStringMap(o, "stringData")
	if err != nil || !found || u.GroupVersionKind().GroupKind() != secretKind {
		return o
	}
	u = u.DeepCopy()
	data, _, _ := unstructured.NestedMap(u.Object, "data")
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range text {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	u.Object["data"] = data
	delete(u.Object, "stringData")
	return u.Object
}
