package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/internal/render"
)

// image that all claims ask for; nothing pulls it.
const image = "registry.example/bench/service:1"

// team is one Tenant with its claims.
type team struct {
	tenant *v1alpha1.Tenant
	claims []*v1alpha1.ServiceClaim
}

func teams(o Options) []team {
	out := make([]team, o.Tenants)
	for i := range out {
		name := fmt.Sprintf("bench-%03d", i)
		out[i].tenant = &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.TenantSpec{Resources: &v1alpha1.Budget{
			CPU: ptr.To(intstr.FromInt(o.Claims)), Memory: ptr.To(intstr.FromString(fmt.Sprintf("%dGi", o.Claims))), Pods: ptr.To(int64(2 * o.Claims)),
		}}}
		for j := range o.Claims {
			out[i].claims = append(out[i].claims, &v1alpha1.ServiceClaim{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%02d", name, j)},
				Spec:       v1alpha1.ServiceClaimSpec{Team: name, Image: image},
			})
		}
	}
	return out
}

// asked are the objects that somebody who uses Demarc writes for a team.
func (t team) asked() []client.Object {
	out := []client.Object{t.tenant}
	for _, c := range t.claims {
		out = append(out, c)
	}
	return out
}

// rendered are the objects that Demarc makes of them, in its order.
func (t team) rendered(s render.Settings) ([]client.Object, error) {
	t.tenant.UID = newUID()
	space, err := render.Tenant(t.tenant, s)
	if err != nil {
		return nil, err
	}
	var out []client.Object
	for _, o := range space.All() {
		out = append(out, o)
	}
	for _, c := range t.claims {
		c.UID = newUID()
		app, err := render.Application(c, s)
		if err != nil {
			return nil, err
		}
		out = append(out, app)
	}
	return out, nil
}

func newUID() types.UID { return uuid.NewUUID() }

// create writes each team's objects in order, and as many teams at the same time as there are writers.
func create(ctx context.Context, config *rest.Config, lists [][]client.Object, writers int) error {
	scheme, err := operator.Scheme()
	if err != nil {
		return err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, list := range lists {
		group.Go(func() error {
			for _, o := range list {
				if err := c.Create(ctx, o); err != nil {
					return fmt.Errorf("create %T %s: %w", o, o.GetName(), err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

var applications = argocd.GroupVersion.WithResource("applications")
