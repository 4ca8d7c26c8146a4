package tenant

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// remains is what is left of a Tenant: the facts, and the objects they speak of.
type remains struct {
	state                 readiness.TenantDrain
	orphans               []unstructured.Unstructured
	project, namespace    *unstructured.Unstructured
	kept                  []unstructured.Unstructured
	access, clusterAccess []unstructured.Unstructured
}

func (r *Reconciler) gather(ctx context.Context, t *v1alpha1.Tenant) (left remains, err error) {
	left.state.Team, left.state.Force = t.Name, readiness.ReasonOn(t, v1alpha1.AnnotationForce)
	claims, err := r.claims(ctx, t)
	if err != nil {
		return left, fmt.Errorf("list the team's claims: %w", err)
	}
	for _, c := range claims {
		if readiness.HoldsTenant(&c) {
			left.state.Claims = append(left.state.Claims, c.Name)
		}
	}
	if len(left.state.Claims) > 0 && left.state.Force == "" {
		return left, nil
	}
	namespace := kube.Named(namespaceKind, "", v1alpha1.NamespaceOf(t.Name))
	if left.namespace, left.state.Namespace, err = r.ours(ctx, namespace, render.TenantRef(t)); err != nil {
		return left, err
	}
	if err := r.gatherArgoCD(ctx, t, claims, &left); err != nil {
		return left, err
	}
	if left.namespace != nil && left.namespace.GetAnnotations()[v1alpha1.AnnotationAdopted] != "" {
		if err := r.gatherKept(ctx, t, &left); err != nil {
			return left, err
		}
	}
	if left.access, err = listOurs(ctx, r.Live, t, roleBindingKind); err != nil {
		return left, err
	}
	if left.clusterAccess, err = listOurs(ctx, r.Live, t, clusterRoleBindingKind); err != nil {
		return left, err
	}
	left.state.Access, left.state.ClusterAccess = len(left.access), len(left.clusterAccess)
	return left, nil
}

// gatherKept lists what is ours in a namespace that stays, RoleBindings apart.
func (r *Reconciler) gatherKept(ctx context.Context, t *v1alpha1.Tenant, left *remains) error {
	left.state.Adopted = true
	for _, gvk := range Kept {
		if gvk == namespaceKind || gvk == roleBindingKind || gvk == clusterRoleBindingKind {
			continue
		}
		ours, err := listOurs(ctx, r.Live, t, gvk)
		if err != nil {
			return fmt.Errorf("list what is kept in the namespace: %w", err)
		}
		for i := range ours {
			left.kept = append(left.kept, ours[i])
			left.state.Kept = append(left.state.Kept, strings.ToLower(gvk.Kind)+"/"+ours[i].GetName())
		}
	}
	return nil
}

// gatherArgoCD reads Argo CD's kinds in all namespaces, each as its own CRD allows: a
// CRD that is going still has its objects, and only one that is absent has none.
func (r *Reconciler) gatherArgoCD(ctx context.Context, t *v1alpha1.Tenant, claims []v1alpha1.ServiceClaim, left *remains) error {
	if err := r.gatherProject(ctx, t, left); err != nil {
		return err
	}
	state, err := kube.CRDState(ctx, r.Live, argocd.ApplicationCRD)
	if err != nil || state == kube.Absent {
		return err
	}
	// To find Applications in the project that are not ours all of the cluster's are read;
	// once the namespace goes that is late, and is not asked for at each look to the end.
	var which []client.ListOption
	if left.state.Namespace != nil && left.state.Namespace.Going {
		which = append(which, client.MatchingLabels{v1alpha1.LabelTeam: t.Name})
	}
	if err := r.applications(ctx, claims, left, which...); err != nil {
		return fmt.Errorf("list Applications: %w", err)
	}
	return nil
}

func (r *Reconciler) gatherProject(ctx context.Context, t *v1alpha1.Tenant, left *remains) error {
	state, err := kube.CRDState(ctx, r.Live, argocd.ProjectCRD)
	if err != nil || state == kube.Absent {
		return err
	}
	projects, err := listOurs(ctx, r.Live, t, argocd.ProjectKind)
	if err != nil || len(projects) == 0 {
		return err
	}
	left.project = &projects[0]
	left.state.Project = readiness.RemainsOf(left.project)
	return nil
}

// claims lists the team's claims from the API server, by field selector. Where their
// CRD is absent there are none.
func (r *Reconciler) claims(ctx context.Context, t *v1alpha1.Tenant) ([]v1alpha1.ServiceClaim, error) {
	var list v1alpha1.ServiceClaimList
	err := r.Live.List(ctx, &list, client.MatchingFields{"spec.team": t.Name})
	if err == nil {
		return list.Items, nil
	}
	if state, crdErr := kube.CRDState(ctx, r.Live, "serviceclaims."+v1alpha1.GroupName); crdErr == nil && state == kube.Absent {
		return nil, nil
	}
	return nil, err
}

// applications lists whatever is in the team's project. Those of claims that are gone,
// by a deletion of their CRD say, are nobody's but the team's.
func (r *Reconciler) applications(ctx context.Context, claims []v1alpha1.ServiceClaim, left *remains, which ...client.ListOption) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(argocd.GroupVersion.WithKind("ApplicationList"))
	if err := r.Live.List(ctx, list, which...); err != nil {
		return err
	}
	there := make([]string, 0, len(claims))
	for _, c := range claims {
		there = append(there, c.Name)
	}
	for i := range list.Items {
		if left.state.AddApplication(&list.Items[i], there) == readiness.Orphan {
			left.orphans = append(left.orphans, list.Items[i])
		}
	}
	return nil
}

// ours reads an object live; what is not ours is as good as gone.
func (r *Reconciler) ours(ctx context.Context, like *unstructured.Unstructured, ref owner.Ref) (*unstructured.Unstructured, *readiness.Remains, error) {
	live, err := r.GetLive(ctx, like)
	if err != nil || live == nil || owner.Compare(live, ref) == owner.Foreign {
		return nil, nil, err
	}
	left := readiness.RemainsOf(live)
	if live.GetKind() == "Namespace" {
		var ns corev1.Namespace
		if err := convert(live, &ns); err != nil {
			return nil, nil, err
		}
		left.Conditions = ns.Status.Conditions
	}
	return live, left, nil
}
