package survey

import (
	"context"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/adoption"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// inNamespace are the kinds of which the whole object decides, beside workloads.
var inNamespace = []schema.GroupKind{
	{Kind: "Pod"}, {Kind: "Service"}, {Kind: "LimitRange"}, {Kind: "ResourceQuota"},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}, {Group: "networking.k8s.io", Kind: "NetworkPolicy"},
}

// Adoption reads what spec.adopt of a Tenant would change, and asks the API server, in
// a dry run, whether it would take the Tenant. existing is the Tenant that is there.
func (c Cluster) Adoption(ctx context.Context, tenant, existing *v1alpha1.Tenant, at time.Time) (*snapshot.Set, adoption.Question, error) {
	s := c.begin(ctx, at)
	question := adoption.Question{Tenant: tenant, Exists: existing != nil, Server: s.server()}
	ns := v1alpha1.NamespaceOf(tenant.Name)
	s.get(platforms, "", v1alpha1.PlatformName)
	if live := s.get(namespaces, "", ns); live != nil {
		if keeper := live.GetLabels()[v1alpha1.LabelTenant]; keeper != "" && keeper != tenant.Name {
			s.get(tenants, "", keeper)
		}
		s.listMetadata(namespaces)
		for _, kind := range append(adoption.Workloads, inNamespace...) {
			s.list(kind, client.InNamespace(ns))
		}
		s.inPlace(tenant)
		question.Refused, question.Unasked = s.takes(tenant, existing)
	}
	set, err := s.done()
	return set, question, err
}

// inPlace reads what stands where adoption would write.
func (s *survey) inPlace(tenant *v1alpha1.Tenant) {
	space, err := render.Tenant(tenant, adoption.Settings(&s.set))
	if err != nil {
		return // the engine says so
	}
	for _, o := range space.All() {
		s.getMetadata(o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName())
	}
}

// server is the API server's version as Pod Security names it; empty where it does not
// say.
func (s *survey) server() string {
	v, err := s.Discovery.ServerVersion()
	if err != nil || v.Major == "" || v.Minor == "" {
		return ""
	}
	return "v" + v.Major + "." + strings.TrimRight(v.Minor, "+")
}

// takes asks whether the API server would take the Tenant, unless who asks may not write
// one: that says nothing of what somebody else may do.
func (s *survey) takes(tenant, existing *v1alpha1.Tenant) (refused, unasked string) {
	verb := "create"
	if existing != nil {
		verb = "patch"
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: v1alpha1.GroupName, Resource: "tenants", Verb: verb, Name: tenant.Name}}}
	if err := s.Client.Create(s.ctx, review); err != nil || !review.Status.Allowed {
		return "", "you may not " + verb + " tenants, so it was not asked whether the API server takes this one"
	}
	var err error
	if existing == nil {
		err = s.Client.Create(s.ctx, tenant.DeepCopy(), client.DryRunAll)
	} else {
		err = s.Client.Patch(s.ctx, tenant.DeepCopy(), client.MergeFrom(existing), client.DryRunAll)
	}
	switch {
	case err == nil, apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), s.ctx.Err() != nil:
		return "", ""
	default:
		return err.Error(), ""
	}
}
