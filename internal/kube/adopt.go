package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// adopter is the field manager of what adoption writes beside Ensure, which would
// drop it at its next apply.
const adopter = "demarc-adopt"

// Adopt makes a namespace that is nobody's in Demarc ours, at the very version that
// was looked at, and notes what it replaces. What else was rendered is Ensure's.
func (e Ensurer) Adopt(ctx context.Context, live, desired *unstructured.Unstructured) error {
	replaced := map[string]string{}
	for key := range desired.GetLabels() {
		if value, there := live.GetLabels()[key]; there {
			replaced[key] = value
		}
	}
	note, err := json.Marshal(replaced)
	if err != nil {
		return fmt.Errorf("note what adoption of %s replaces: %w", Name(live), err)
	}
	// Who is on call is Ensure's alone, so that it can take that off again.
	annotations := map[string]any{
		v1alpha1.AnnotationAdopted:  string(note),
		v1alpha1.AnnotationOwnerUID: desired.GetAnnotations()[v1alpha1.AnnotationOwnerUID],
	}
	labels := map[string]any{}
	for key, value := range desired.GetLabels() {
		labels[key] = value
	}
	return e.patchMarks(ctx, live, labels, annotations)
}

// Unadopt takes our marks off a namespace and puts back what adoption replaced. It
// is one write: after it nothing says any more what was ours.
func (e Ensurer) Unadopt(ctx context.Context, live *unstructured.Unstructured) error {
	before := map[string]string{}
	if err := json.Unmarshal([]byte(live.GetAnnotations()[v1alpha1.AnnotationAdopted]), &before); err != nil {
		before = nil // written by hand: nothing to put back
	}
	labels := map[string]any{v1alpha1.LabelOwner: nil, v1alpha1.LabelTenant: nil, v1alpha1.LabelTeam: nil}
	for _, key := range e.onlyOurs(live) {
		labels[key] = nil
	}
	for key, value := range before {
		if _, ok := labels[key]; ok {
			labels[key] = value
		}
	}
	return e.patchMarks(ctx, live, labels, nothing(v1alpha1.AnnotationOwnerUID, v1alpha1.AnnotationApplied,
		v1alpha1.AnnotationAdopted, v1alpha1.AnnotationDrained, v1alpha1.AnnotationOnCall, v1alpha1.AnnotationChannel))
}

// onlyOurs are the labels that we wrote and nobody else has written since.
func (e Ensurer) onlyOurs(live *unstructured.Unstructured) []string {
	ours, theirs := map[string]bool{}, map[string]bool{}
	for _, entry := range live.GetManagedFields() {
		into := theirs
		if entry.Manager == e.Manager || entry.Manager == adopter {
			into = ours
		}
		var fields struct {
			Metadata struct {
				Labels map[string]any `json:"f:labels"`
			} `json:"f:metadata"`
		}
		if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		for key := range fields.Metadata.Labels {
			into[strings.TrimPrefix(key, "f:")] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(ours)), func(key string) bool { return theirs[key] || key == "." })
}

// Disown takes our marks off an object and leaves all else as it is.
func (e Ensurer) Disown(ctx context.Context, live *unstructured.Unstructured) error {
	return e.patchMarks(ctx, live,
		nothing(v1alpha1.LabelOwner, v1alpha1.LabelTeam, v1alpha1.LabelClaim, "app.kubernetes.io/managed-by"),
		nothing(v1alpha1.AnnotationOwnerUID, v1alpha1.AnnotationApplied, v1alpha1.AnnotationDrained,
			v1alpha1.AnnotationOnCall, v1alpha1.AnnotationChannel))
}

func nothing(keys ...string) map[string]any {
	none := map[string]any{}
	for _, key := range keys {
		none[key] = nil
	}
	return none
}

func (e Ensurer) patchMarks(ctx context.Context, live *unstructured.Unstructured, labels, annotations map[string]any) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": string(live.GetUID()), "resourceVersion": live.GetResourceVersion(), "labels": labels, "annotations": annotations,
	}})
	if err != nil {
		return fmt.Errorf("marshal marks for %s: %w", Name(live), err)
	}
	if err := e.Writer.Patch(ctx, live, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(adopter)); err != nil {
		return err
	}
	e.note(live)
	return nil
}
