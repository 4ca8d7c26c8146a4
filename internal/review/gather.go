package review

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/verify"
)

// Version tells contracts apart: another generation, or another object, is another. The
// one that comes with Demarc has none.
func Version(o *v1alpha1.OwnershipContract) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf("%s/%d", o.UID, o.Generation)
}

// gather reads what the questions are made from, and the version of the contract.
func (r *Runner) gather(ctx context.Context) (*verify.Reviews, string, error) {
	version, err := r.versionNow(ctx)
	if err != nil {
		return nil, "", err
	}
	a := verify.Agreed{At: r.Clock.Now()}
	if a.Contract, err = r.Contracts.Current(ctx); err != nil {
		return nil, "", err
	}
	platform := &v1alpha1.Platform{}
	switch err := r.Cached.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, platform); {
	case err == nil:
		a.Platform = platform
	case !apierrors.IsNotFound(err):
		return nil, "", fmt.Errorf("read Platform: %w", err)
	}
	var tenants v1alpha1.TenantList
	var grants v1alpha1.AccessGrantList
	for _, list := range []client.ObjectList{&tenants, &grants} {
		if err := r.Cached.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil { // read alone
			return nil, "", fmt.Errorf("read Tenants and AccessGrants: %w", err)
		}
	}
	for i := range tenants.Items {
		a.Tenants = append(a.Tenants, &tenants.Items[i])
	}
	for i := range grants.Items {
		a.Grants = append(a.Grants, &grants.Items[i])
	}
	if a.Live, err = r.world(ctx); err != nil {
		return nil, "", err
	}
	return verify.NewReviews(a), version, nil
}

func (r *Runner) versionNow(ctx context.Context) (string, error) {
	o := &v1alpha1.OwnershipContract{}
	err := r.Cached.Get(ctx, types.NamespacedName{Name: v1alpha1.ContractName}, o)
	if apierrors.IsNotFound(err) {
		return Version(nil), nil
	}
	return Version(o), err
}

// world is RBAC as it is.
func (r *Runner) world(ctx context.Context) (*rbac.World, error) {
	var clusterRoles rbacv1.ClusterRoleList
	var roles rbacv1.RoleList
	var clusterBindings rbacv1.ClusterRoleBindingList
	var bindings rbacv1.RoleBindingList
	ctx, cancel := context.WithTimeout(ctx, timeout) // a cache that cannot fill waits for ever
	defer cancel()
	for _, list := range []client.ObjectList{&clusterRoles, &roles, &clusterBindings, &bindings} {
		if err := r.rights.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return nil, fmt.Errorf("read RBAC: %w", err)
		}
	}
	w := &rbac.World{ClusterRoles: clusterRoles.Items, Roles: roles.Items}
	for i := range clusterBindings.Items {
		w.AddClusterRoleBinding(&clusterBindings.Items[i])
	}
	for i := range bindings.Items {
		w.AddRoleBinding(&bindings.Items[i])
	}
	w.Index()
	return w, nil
}
