package triage

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/finding"
)

// claimsOfVolumes are PersistentVolumeClaims: DM324 to DM327 and DM331.
func claimsOfVolumes(w *world) (all []found) {
	for _, c := range w.volumeClaims {
		ref := refOf(volumeClaimKind, c)
		of := func(id, message string, evidence ...finding.Evidence) {
			f := found{id: id, object: ref, message: message, evidence: evidence, args: map[string]string{}}
			if class := classOf(c); class != "" {
				f.args["class"] = class
				if id == "DM325" {
					f.shares = []finding.Object{{Group: "storage.k8s.io", Kind: "StorageClass", Name: class}}
				}
			}
			all = append(all, f)
		}
		phase := finding.Evidence{Object: ref, Field: "status.phase", Value: string(c.Status.Phase), Time: c.CreationTimestamp.Time}
		switch {
		case c.DeletionTimestamp != nil:
		case c.Status.Phase == corev1.ClaimLost:
			of("DM327", fmt.Sprintf("volume claim %s lost the volume it was bound to, %s", c.Name, c.Spec.VolumeName), phase)
		case c.Status.Phase == corev1.ClaimPending && w.still(volumeClaimKind, c):
			w.pending(c, ref, of, phase)
		default:
			if e, ok := w.lately(ref, string(c.UID), func(e event) bool { return e.reason == "VolumeResizeFailed" || e.reason == "FileSystemResizeFailed" }); ok && growing(c) {
				of("DM331", fmt.Sprintf("volume claim %s cannot grow: %s", c.Name, said(e.message)), e.evidence())
			}
		}
	}
	return all
}

func classOf(c *corev1.PersistentVolumeClaim) string {
	if c.Spec.StorageClassName == nil {
		return ""
	}
	return *c.Spec.StorageClassName
}

func growing(c *corev1.PersistentVolumeClaim) bool {
	want, have := c.Spec.Resources.Requests[corev1.ResourceStorage], c.Status.Capacity[corev1.ResourceStorage]
	return want.Cmp(have) > 0
}

// pending says why a claim is not bound. One that waits for its first pod is as it should be.
func (w *world) pending(c *corev1.PersistentVolumeClaim, ref finding.Object, of func(id, message string, evidence ...finding.Evidence), phase finding.Evidence) {
	failed, ok := w.lately(ref, string(c.UID), because("ProvisioningFailed"))
	class := classOf(c)
	noClass, there := ok && strings.Contains(failed.message, `"`+class+`" not found`), w.set.Get(storageClassKind, "", class) != nil
	switch {
	case class != "" && !there && (noClass || w.absent(storageClassKind, "", class)):
		of("DM324", fmt.Sprintf("volume claim %s asks for the storage class %s, which is not there", c.Name, class), phase, finding.Evidence{Object: ref, Field: "spec.storageClassName", Value: class})
	case ok && (!noClass || !there): // the class may have come after the claim
		of("DM325", fmt.Sprintf("no volume can be made for claim %s: %s", c.Name, said(failed.message)), phase, failed.evidence())
	default:
		w.unanswered(c, ref, of, phase)
	}
}

// unanswered is a claim that nothing failed on.
func (w *world) unanswered(c *corev1.PersistentVolumeClaim, ref finding.Object, of func(id, message string, evidence ...finding.Evidence), phase finding.Evidence) {
	if e, ok := w.lately(ref, string(c.UID), because("FailedBinding", "no persistent volumes available")); ok {
		of("DM326", fmt.Sprintf("volume claim %s names no storage class, and there is no default one: %s", c.Name, said(e.message)), phase, e.evidence())
		return
	}
	if e, ok := w.lately(ref, string(c.UID), because("ExternalProvisioning")); ok && w.since(c.CreationTimestamp.Time) >= slow {
		of("DM325", fmt.Sprintf("nobody makes the volume of claim %s: %s", c.Name, said(e.message)), phase, e.evidence())
	}
}
