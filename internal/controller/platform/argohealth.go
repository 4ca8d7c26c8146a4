package platform

import (
	"context"
	_ "embed"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/render"
)

// healthCheck is Lua that Argo CD runs over an object of ours: it reads Ready.
//
//go:embed health.lua
var healthCheck string

// argoHealth keeps the health checks of our kinds in Argo CD's settings: without
// them an Application that delivers a claim is Healthy whatever the claim says.
// Only these keys are ours; where Argo CD is not there, nothing is made.
func (r *Reconciler) argoHealth(ctx context.Context) error {
	p := &v1alpha1.Platform{}
	if err := client.IgnoreNotFound(r.Client.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, p)); err != nil {
		return err
	}
	namespace := render.SettingsOf(p).ArgoCDNamespace
	cm := &corev1.ConfigMap{}
	if err := r.Client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: argocd.ConfigMap}, cm); err != nil {
		return client.IgnoreNotFound(err)
	}
	want := map[string]string{}
	for _, kind := range []string{"Tenant", "ServiceClaim", "Platform"} {
		want["resource.customizations.health."+v1alpha1.GroupName+"_"+kind] = healthCheck
	}
	settled := true
	for key, value := range want {
		settled = settled && cm.Data[key] == value
	}
	if settled {
		return nil
	}
	apply := corev1ac.ConfigMap(argocd.ConfigMap, namespace).WithUID(cm.UID).WithData(want)
	if err := r.Client.Apply(ctx, apply, client.FieldOwner(Manager), client.ForceOwnership); err != nil {
		return fmt.Errorf("give Argo CD the health checks of Demarc's kinds: %w", err)
	}
	return nil
}
