package explain

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/deletion"
)

// object finds which object is meant: the kind by any word that kubectl takes, and the
// namespace where it needs one.
func (o *Options) object(ctx context.Context, c client.Client, d discovery.DiscoveryInterface) (deletion.Object, error) {
	mapping, err := target.Find(o.Word, c, d)
	if err != nil {
		return deletion.Object{}, err
	}
	gvk := mapping.GroupVersionKind
	object := deletion.Object{Group: gvk.Group, Kind: gvk.Kind, Name: o.Name}
	switch {
	case mapping.Scope.Name() == meta.RESTScopeNameRoot && o.Namespace != "":
		return object, exit.Failed(fmt.Sprintf("a %s lives in no namespace", gvk.Kind), "leave --namespace out")
	case mapping.Scope.Name() == meta.RESTScopeNameRoot:
		return object, nil
	case o.Namespace != "":
		object.Namespace = o.Namespace
		return object, nil
	case gvk.Group == argocd.GroupVersion.Group:
		object.Namespace, err = target.ArgoNamespace(ctx, c)
		return object, err
	default:
		return object, exit.Failed(fmt.Sprintf("a %s lives in a namespace", gvk.Kind), "name it with -n NAMESPACE")
	}
}
