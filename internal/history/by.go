package history

import (
	"bytes"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/who"
)

// made is when an object was made, nil where it does not say.
func made(o metav1.Object) *time.Time {
	at := o.GetCreationTimestamp()
	if at.IsZero() {
		return nil
	}
	utc := at.UTC()
	return &utc
}

// author says who set the image that the claim asks for now. Who set those before is not
// kept by the claim, so a revision of another image says who delivered it.
func (a *Answer) author(claim *v1alpha1.ServiceClaim) {
	for _, e := range claim.ManagedFields {
		if e.Subresource != "" || !Holds(e, "spec", "image") {
			continue
		}
		by := Manager(e.Manager)
		if e.Time != nil {
			by += " on the claim, " + e.Time.UTC().Format("2006-01-02 15:04:05 MST")
		}
		for i := range a.Revisions {
			if r := &a.Revisions[i]; r.Current && r.Image == claim.Spec.Image {
				r.By = by
			}
		}
		return
	}
}

// Manager names who wrote, and who stands behind that where it is known.
func Manager(name string) string {
	if is := who.Manager(name); is != "" {
		return name + " (" + is + ")"
	}
	return name
}

// Holds says whether an entry of managed fields holds a field.
func Holds(e metav1.ManagedFieldsEntry, path ...any) bool {
	set := &fieldpath.Set{}
	if e.FieldsV1 == nil || set.FromJSON(bytes.NewReader(e.FieldsV1.GetRawBytes())) != nil {
		return false
	}
	p, err := fieldpath.MakePath(path...)
	return err == nil && set.Has(p)
}
