package delete

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/render"
)

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// unseen is said of what the caller may not look at.
const unseen = " (you may not look at it)"

// seen is what a look at one object told.
type seen struct{ there, hidden, adopted bool }

func look(ctx context.Context, c client.Reader, kind schema.GroupVersionKind, namespace, name string) (seen, error) {
	like := &metav1.PartialObjectMetadata{}
	like.SetGroupVersionKind(kind)
	err := c.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, like)
	switch {
	case err == nil:
		_, adopted := like.Annotations[v1alpha1.AnnotationAdopted]
		return seen{there: true, adopted: adopted}, nil
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return seen{}, nil
	case apierrors.IsForbidden(err):
		return seen{there: true, hidden: true}, nil
	default:
		return seen{}, exit.Unreadable(err, fmt.Sprintf("look at %s %s", kind.Kind, name))
	}
}

func claimsOf(ctx context.Context, c client.Reader, team string) ([]string, error) {
	claims := &v1alpha1.ServiceClaimList{}
	if err := c.List(ctx, claims, client.MatchingFields{"spec.team": team}); err != nil {
		return nil, exit.Unreadable(err, "list the claims of team "+team)
	}
	var names []string
	for _, claim := range claims.Items {
		names = append(names, claim.Name)
	}
	return names, nil
}

// volumesOf names the data in a namespace: it goes too.
func volumesOf(ctx context.Context, c client.Reader, ns string) (string, error) {
	volumes := &metav1.PartialObjectMetadataList{}
	volumes.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaimList"))
	err := c.List(ctx, volumes, client.InNamespace(ns))
	if apierrors.IsForbidden(err) {
		return "", nil
	}
	if err != nil || len(volumes.Items) == 0 {
		return "", exit.Unreadable(err, "list the volumes in "+ns)
	}
	var names []string
	for _, v := range volumes.Items {
		names = append(names, v.Name)
	}
	return ", the data of its PersistentVolumeClaims too: " + takedown.Names(names), nil
}

// orphans are what a Tenant that is forced leaves behind, its claims apart.
func orphans(ctx context.Context, c client.Reader, team string) ([]string, error) {
	argo, err := takedown.ArgoCDNamespace(ctx, c)
	if err != nil {
		return nil, err
	}
	left, err := applicationsOf(ctx, c, argo, team, func(map[string]string) bool { return true })
	if err != nil {
		return nil, err
	}
	for _, o := range []struct {
		kind            schema.GroupVersionKind
		namespace, name string
	}{
		{argocd.ProjectKind, argo, render.ProjectName(team)},
		{namespaceKind, "", v1alpha1.NamespaceOf(team)},
	} {
		found, err := look(ctx, c, o.kind, o.namespace, o.name)
		if err != nil {
			return nil, err
		}
		if found.there {
			line := o.kind.Kind + " " + o.name
			if found.hidden {
				line += unseen
			}
			left = append(left, line)
		}
	}
	return left, nil
}

// applicationsOf names those Applications of a team's project whose labels are asked for.
func applicationsOf(ctx context.Context, c client.Reader, argo, team string, asked func(labels map[string]string) bool) ([]string, error) {
	apps := &unstructured.UnstructuredList{}
	apps.SetGroupVersionKind(argocd.ApplicationKind)
	err := c.List(ctx, apps, client.InNamespace(argo))
	switch {
	case meta.IsNoMatchError(err):
		return nil, nil
	case apierrors.IsForbidden(err):
		return []string{"Applications of its project in " + argo + unseen}, nil
	case err != nil:
		return nil, exit.Unreadable(err, "list the Applications in "+argo)
	}
	var names []string
	for _, app := range apps.Items {
		if argocd.ProjectOf(&app) == render.ProjectName(team) && asked(app.GetLabels()) {
			names = append(names, "Application "+app.GetName())
		}
	}
	return names, nil
}
