// Package argocd installs into a cluster what Argo CD needs there: its own CRDs, RBAC and configuration, as its module ships
// them, with the few settings that a sandbox wants. The programs run outside the cluster.
package argocd

import (
	"context"
	"fmt"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Namespace is where Argo CD's objects live, and Account the identity of its application controller.
const (
	Namespace = "argocd"
	Account   = "argocd-application-controller"
)

const owner = "demarc-sandbox"

// Install applies Argo CD's objects; doing it again changes nothing.
func Install(ctx context.Context, config *rest.Config, manifests string) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	objects, err := load(manifests)
	if err != nil {
		return fmt.Errorf("read Argo CD's manifests: %w", err)
	}
	for _, o := range append([]*unstructured.Unstructured{namespace()}, objects...) {
		if err := apply(ctx, client, adjust(o)); err != nil {
			return err
		}
	}
	return applyProject(ctx, client)
}

// Token returns a token of the application controller's ServiceAccount that outlives any sandbox.
func Token(ctx context.Context, config *rest.Config) (string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", fmt.Errorf("make a client: %w", err)
	}
	seconds := int64((5 * 365 * 24 * time.Hour).Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	answer, err := client.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx, Account, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask for a token of %s/%s: %w", Namespace, Account, err)
	}
	return answer.Status.Token, nil
}

func apply(ctx context.Context, client dynamic.Interface, o *unstructured.Unstructured) error {
	gvk := o.GroupVersionKind()
	resource := schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) + "s"}
	var target dynamic.ResourceInterface = client.Resource(resource)
	if o.GetNamespace() != "" {
		target = client.Resource(resource).Namespace(o.GetNamespace())
	}
	options := metav1.ApplyOptions{FieldManager: owner, Force: true}
	if _, err := target.Apply(ctx, o.GetName(), o, options); err != nil {
		return fmt.Errorf("apply %s %s: %w", gvk.Kind, o.GetName(), err)
	}
	return nil
}

// applyProject makes the project "default", whose syncs act as Argo CD's own account. Its kind was applied a moment ago and
// may take another to be served.
func applyProject(ctx context.Context, client dynamic.Interface) error {
	project := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
		"metadata": map[string]any{"name": "default", "namespace": Namespace},
		"spec": map[string]any{
			"sourceRepos":              []any{"*"},
			"destinations":             []any{map[string]any{"server": "*", "namespace": "*"}},
			"clusterResourceWhitelist": []any{map[string]any{"group": "*", "kind": "*"}},
			"destinationServiceAccounts": []any{map[string]any{
				"server": "*", "namespace": "*", "defaultServiceAccount": Namespace + ":" + Account,
			}},
		},
	}}
	for {
		err := apply(ctx, client, project)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}
