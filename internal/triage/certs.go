package triage

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// certificates of cert-manager that are not issued: DM220. Behind several of them the issuer
// is to blame, and then it is the platform's where it is one for the cluster.
func certificates(w *world) (all []found) {
	for _, one := range []struct {
		kind schema.GroupKind
		id   string
	}{{clusterIssuerKind, "DM521"}, {issuerKind, "DM219"}} {
		for _, o := range w.objects[one.kind] {
			if v, ok := verdictOf(o, "Ready"); ok && w.bad(v) {
				ref := refOf(one.kind, o)
				all = append(all, found{id: one.id, object: ref, message: fmt.Sprintf("%s cannot issue certificates: %s", words(ref), said(v.reason+": "+v.message)), evidence: []finding.Evidence{v.evidence(ref)}})
			}
		}
	}
	for _, o := range w.objects[certificateKind] {
		v, ok := verdictOf(o, "Ready")
		if !ok || !w.bad(v) || w.since(v.at) < slow || o.GetDeletionTimestamp() != nil {
			continue
		}
		ref, issuer := refOf(certificateKind, o), issuerOf(o)
		f := found{id: "DM220", object: ref, message: fmt.Sprintf("certificate %s is not issued: %s", o.GetName(), said(v.reason+": "+v.message)), evidence: []finding.Evidence{v.evidence(ref)},
			after: []cause{{issuer, []string{"DM521", "DM219"}}}}
		if issuer.Namespace == "" && !w.issuedSince(issuer, v.at) {
			f.shares = []finding.Object{issuer}
		}
		all = append(all, f)
	}
	return all
}

// issuedSince says that an issuer gave others their certificates meanwhile: then each that waits
// for it may be wrong for itself.
func (w *world) issuedSince(issuer finding.Object, at time.Time) bool {
	return slices.ContainsFunc(w.objects[certificateKind], func(o snapshot.Object) bool {
		v, ok := verdictOf(o, "Ready")
		return ok && v.status == "True" && v.at.After(at) && issuerOf(o) == issuer
	})
}

func issuerOf(certificate snapshot.Object) finding.Object {
	r := child(child(certificate.Object, "spec"), "issuerRef")
	o := finding.Object{Group: issuerKind.Group, Kind: text(r, "kind"), Namespace: certificate.GetNamespace(), Name: text(r, "name")}
	if o.Kind == "" {
		o.Kind = issuerKind.Kind
	}
	if o.Kind == clusterIssuerKind.Kind {
		o.Namespace = ""
	}
	return o
}

// externalSecrets that are not brought: DM141, and stores that do not answer: DM522.
func externalSecrets(w *world) (all []found) {
	for _, o := range slices.Concat(w.objects[clusterStoreKind], w.objects[storeKind]) {
		if v, ok := verdictOf(o, "Ready"); ok && w.bad(v) {
			ref := refOf(o.GroupVersionKind().GroupKind(), o)
			f := found{id: "DM522", object: ref, message: fmt.Sprintf("%s does not give out secrets: %s", words(ref), said(v.reason+": "+v.message)), evidence: []finding.Evidence{v.evidence(ref)}}
			if ref.Namespace != "" {
				f.domains = []string{"secrets"} // a team's own store is the team's
			}
			all = append(all, f)
		}
	}
	for _, o := range w.objects[externalKind] {
		v, ok := verdictOf(o, "Ready")
		if !ok || !w.bad(v) || o.GetDeletionTimestamp() != nil {
			continue
		}
		ref, r := refOf(externalKind, o), child(child(o.Object, "spec"), "secretStoreRef")
		store := finding.Object{Group: storeKind.Group, Kind: text(r, "kind"), Namespace: o.GetNamespace(), Name: text(r, "name")}
		if store.Kind == "" {
			store.Kind = storeKind.Kind
		}
		if store.Kind == clusterStoreKind.Kind {
			store.Namespace = ""
		}
		f := found{id: "DM141", object: ref, message: fmt.Sprintf("external secret %s is not brought: %s", o.GetName(), said(v.reason+": "+v.message)), evidence: []finding.Evidence{v.evidence(ref)},
			after: []cause{{store, []string{"DM522"}}}}
		all = append(all, f)
	}
	return all
}
