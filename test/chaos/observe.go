package main

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/controller/tenant"
)

// state is what is in a cluster, or what should be, in normal form.
type state map[key]map[string]any

// sight is what was seen of a cluster at one time.
type sight struct {
	state state
	// uids of Tenants and claims; owners by the value of the owner label; owned are the objects with that label, and
	// whose they are.
	uids   map[key]types.UID
	owners map[string]bool
	owned  map[key]string
}

// observe looks at all of Demarc's objects, and all that Demarc makes or lets be made.
func (g *ground) observe(ctx context.Context) (*sight, error) {
	s := &sight{state: state{}, uids: map[key]types.UID{}, owners: map[string]bool{}, owned: map[key]string{}}
	for _, look := range []func(context.Context, *ground) error{s.own, s.kept, s.services} {
		if err := look(ctx, g); err != nil {
			return nil, fmt.Errorf("look at the cluster: %w", err)
		}
	}
	return s, nil
}

// own looks at Demarc's own kinds.
func (s *sight) own(ctx context.Context, g *ground) error {
	var tenants v1alpha1.TenantList
	if err := g.admin.List(ctx, &tenants); err != nil {
		return err
	}
	for i := range tenants.Items {
		t := &tenants.Items[i]
		s.mine(t, asked(t, &t.Spec, t.Status.ObservedGeneration, t.Status.Conditions))
	}
	var claims v1alpha1.ServiceClaimList
	if err := g.admin.List(ctx, &claims); err != nil {
		return err
	}
	for i := range claims.Items {
		c := &claims.Items[i]
		s.mine(c, asked(c, &c.Spec, c.Status.ObservedGeneration, c.Status.Conditions))
	}
	var platforms v1alpha1.PlatformList
	if err := g.admin.List(ctx, &platforms); err != nil {
		return err
	}
	for i := range platforms.Items {
		s.owners["platform."+platforms.Items[i].Name] = true
	}
	return nil
}

func (s *sight) mine(o client.Object, looks map[string]any) {
	k := keyOf(o)
	s.state[k], s.uids[k] = looks, o.GetUID()
	s.owners[strings.ToLower(k.Kind)+"."+k.name] = true
}

// keptKinds are looked at whole; of other kinds what carries the owner label.
var (
	wholeKinds  = []schema.GroupVersionKind{{Version: "v1", Kind: "Namespace"}, argocd.ProjectKind, argocd.ApplicationKind}
	clusterRole = schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}
)

// kept looks at what Demarc keeps, and at strangers in its places.
func (s *sight) kept(ctx context.Context, g *ground) error {
	for _, gvk := range wholeKinds {
		if err := s.list(ctx, g, gvk); err != nil {
			return err
		}
	}
	for _, gvk := range append([]schema.GroupVersionKind{clusterRole}, tenant.Kept...) {
		if gvk.Kind == "Namespace" {
			continue
		}
		if err := s.list(ctx, g, gvk, client.HasLabels{v1alpha1.LabelOwner}); err != nil {
			return err
		}
	}
	return nil
}

func (s *sight) list(ctx context.Context, g *ground, gvk schema.GroupVersionKind, opts ...client.ListOption) error {
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := g.admin.List(ctx, &list, opts...); err != nil {
		return err
	}
	for i := range list.Items {
		u := &list.Items[i]
		by := u.GetLabels()[v1alpha1.LabelOwner]
		if by == "" && !inTheWay(u) {
			continue
		}
		s.state[keyOf(u)] = normal(u)
		if by != "" {
			s.owned[keyOf(u)] = by
		}
	}
	return nil
}

// inTheWay says that an object has a name that Demarc would give.
func inTheWay(o client.Object) bool { return strings.HasPrefix(o.GetName(), v1alpha1.NamespacePrefix) }

// services looks at what Argo CD delivers.
func (s *sight) services(ctx context.Context, g *ground) error {
	var deployments appsv1.DeploymentList
	if err := g.admin.List(ctx, &deployments, client.HasLabels{v1alpha1.LabelClaim}); err != nil {
		return err
	}
	for i := range deployments.Items {
		d := &deployments.Items[i]
		s.state[key{deploymentKind, d.Namespace, d.Name}] = deployment(d)
	}
	var services corev1.ServiceList
	if err := g.admin.List(ctx, &services, client.HasLabels{v1alpha1.LabelClaim}); err != nil {
		return err
	}
	for i := range services.Items {
		s.state[key{serviceKind, services.Items[i].Namespace, services.Items[i].Name}] = map[string]any{}
	}
	return nil
}

var (
	deploymentKind = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	serviceKind    = schema.GroupKind{Kind: "Service"}
)
