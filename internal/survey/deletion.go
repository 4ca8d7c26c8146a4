package survey

import (
	"context"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	platforms   = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	contracts   = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "OwnershipContract"}
	tenants     = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	claims      = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	namespaces  = schema.GroupKind{Kind: "Namespace"}
	definitions = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	bindings    = schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}
	leases      = schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"}
)

// Deletion reads what may hold, or would hold, the deletion of an object, and asks the
// API server, in a dry run, whether it would take one.
func (c Cluster) Deletion(ctx context.Context, of deletion.Object, at time.Time) (*snapshot.Set, deletion.Question, error) {
	s := c.begin(ctx, at)
	question := deletion.Question{Object: of}
	target := s.get(schema.GroupKind{Group: of.Group, Kind: of.Kind}, of.Namespace, of.Name)
	if target != nil {
		s.around(target)
		question.Refused = s.refusal(target)
	}
	set, err := s.done()
	return set, question, err
}

// around reads what belongs to an object, by its kind.
func (s *survey) around(target snapshot.Object) {
	s.controllers()
	if of, ok := deletion.OwnerOf(target); ok {
		s.get(of.GroupKind(), "", of.Name)
	}
	switch target.GroupVersionKind().GroupKind() {
	case tenants:
		s.team(target.GetName())
	case claims:
		s.claim(target)
	case namespaces:
		s.content(target.GetName())
	case argocd.ApplicationKind.GroupKind():
		s.application(target)
	case argocd.ProjectKind.GroupKind():
		for _, app := range s.set.Of(argocd.ApplicationKind.GroupKind()) {
			if argocd.ProjectOf(app) == target.GetName() {
				s.application(app)
			}
		}
	case definitions:
		group, _, _ := unstructured.NestedString(target.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(target.Object, "spec", "names", "kind")
		s.listMetadata(schema.GroupKind{Group: group, Kind: kind})
	default:
		if slices.Contains(target.GetFinalizers(), metav1.FinalizerDeleteDependents) && target.GetNamespace() != "" {
			s.content(target.GetNamespace())
		}
	}
}

// controllers reads by what it is seen whether those who act are there, and the contract,
// which says whose an object is.
func (s *survey) controllers() {
	s.get(platforms, "", v1alpha1.PlatformName)
	s.get(contracts, "", v1alpha1.ContractName)
	for _, name := range deletion.Leases {
		s.list(leases, client.MatchingFields{"metadata.name": name})
	}
	argo := client.MatchingLabels{"app.kubernetes.io/name": deletion.ArgoCDController}
	for _, kind := range []string{"StatefulSet", "Deployment"} {
		s.list(schema.GroupKind{Group: "apps", Kind: kind}, client.InNamespace(s.settings().ArgoCDNamespace), argo)
	}
	s.list(argocd.ApplicationKind.GroupKind())
	s.mapping(argocd.ProjectKind.GroupKind())
}

func (s *survey) settings() render.Settings {
	if o := s.set.Get(platforms, "", v1alpha1.PlatformName); o != nil {
		if p, err := snapshot.Into[v1alpha1.Platform](o); err == nil {
			return render.SettingsOf(p)
		}
	}
	return render.SettingsOf(nil)
}

// team reads all that a Tenant's drain goes through.
func (s *survey) team(name string) {
	s.list(claims, client.MatchingFields{"spec.team": name})
	ours := client.MatchingLabels{v1alpha1.LabelOwner: owner.Ref{Kind: "Tenant", Name: name}.Label()}
	projects := argocd.ProjectKind.GroupKind()
	s.list(projects, ours)
	s.project(s.settings().ArgoCDNamespace, render.ProjectName(name))
	s.list(bindings, ours)
	ns := v1alpha1.NamespaceOf(name)
	s.get(namespaces, "", ns)
	s.content(ns)
	for _, c := range s.set.Of(claims) {
		s.delivered(c)
	}
	for _, app := range s.set.Of(argocd.ApplicationKind.GroupKind()) {
		if argocd.ProjectOf(app) == render.ProjectName(name) {
			s.tracked(app)
		}
	}
}

// claim reads a claim's Application, what it delivered, and what is around that.
func (s *survey) claim(target snapshot.Object) {
	c, err := snapshot.Into[v1alpha1.ServiceClaim](target)
	if err != nil {
		return // the engine says that it cannot be decoded
	}
	s.appOf(c)
	s.content(v1alpha1.NamespaceOf(c.Spec.Team))
	s.delivered(target)
}

// appOf reads the claim's Application by its name where all could not be listed.
func (s *survey) appOf(c *v1alpha1.ServiceClaim) {
	applications := argocd.ApplicationKind.GroupKind()
	for _, app := range s.set.Of(applications) {
		if owner.Compare(app, render.ClaimRef(c)) != owner.Foreign {
			s.tracked(app)
			return
		}
	}
	if app := s.get(applications, s.settings().ArgoCDNamespace, render.ApplicationName(c)); app != nil {
		s.tracked(app)
		return
	}
	s.project(s.settings().ArgoCDNamespace, render.ProjectName(c.Spec.Team))
}

// delivered reads what a claim noted that it delivered.
func (s *survey) delivered(target snapshot.Object) {
	c, err := snapshot.Into[v1alpha1.ServiceClaim](target)
	if err != nil {
		return
	}
	for _, o := range c.Status.Inventory {
		s.getMetadata(schema.GroupKind{Group: o.Group, Kind: o.Kind}, o.Namespace, o.Name)
	}
}

// application reads what an Application tracks, and all around it.
func (s *survey) application(app snapshot.Object) {
	s.tracked(app)
	if ns, _, _ := unstructured.NestedString(app.Object, "spec", "destination", "namespace"); ns != "" {
		s.content(ns)
	}
}

// tracked reads what an Application tracks, and the AppProject that confines it.
func (s *survey) tracked(app snapshot.Object) {
	s.project(app.GetNamespace(), argocd.ProjectOf(app))
	decoded, err := argocd.Decode(app)
	if err != nil {
		return // the engine says that it cannot be decoded
	}
	for _, r := range decoded.Status.Resources {
		if r.Name != "" && !r.Hook {
			s.getMetadata(schema.GroupKind{Group: r.Group, Kind: r.Kind}, r.Namespace, r.Name)
		}
	}
}

func (s *survey) project(namespace, name string) {
	if kind := argocd.ProjectKind.GroupKind(); !s.known(kind, namespace, name) {
		s.get(kind, namespace, name)
	}
}

// refusal asks the API server whether it would take the deletion, in a dry run: its
// policies answer, and who asks is who would delete.
func (s *survey) refusal(target snapshot.Object) string {
	if target.GetDeletionTimestamp() != nil {
		return ""
	}
	uid := target.GetUID()
	err := s.Client.Delete(s.ctx, target.DeepCopy(), client.DryRunAll, client.Preconditions{UID: &uid})
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsConflict(err), s.ctx.Err() != nil:
		return ""
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsMethodNotSupported(err):
		return err.Error()
	default:
		gvk := target.GroupVersionKind()
		s.set.Miss(snapshot.Unread{Verb: "delete (dry run)", Group: gvk.Group, Resource: strings.ToLower(gvk.Kind), Kind: gvk.Kind,
			Namespace: target.GetNamespace(), Name: target.GetName(), Why: err.Error()})
		return ""
	}
}
