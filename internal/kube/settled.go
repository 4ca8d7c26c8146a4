package kube

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/subset"
)

// stampApplied returns a copy that carries the hash of what is to be applied. A
// field that is no longer rendered changes the hash; a field that somebody changed
// is seen by comparing. Together they tell without a write that all is settled.
func stampApplied(desired *unstructured.Unstructured) *unstructured.Unstructured {
	out := desired.DeepCopy()
	annotations := out.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1alpha1.AnnotationApplied] = hash(desired.Object)
	out.SetAnnotations(annotations)
	return out
}

func hash(o map[string]any) string {
	raw, err := json.Marshal(o) // map keys are sorted
	if err != nil {
		panic(fmt.Sprintf("kube: a rendered object that is no JSON: %v", err)) // only a mistake in render gets here
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// settled reports whether live holds all of desired, the hash included.
func settled(desired, live *unstructured.Unstructured) bool {
	for _, f := range desired.GetFinalizers() {
		if !slices.Contains(live.GetFinalizers(), f) {
			return false
		}
	}
	want := desired.DeepCopy()
	want.SetFinalizers(nil) // a set, compared above: others have theirs in it
	return subset.Within(want.Object, live.Object)
}
