package explain

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/render"
)

// object finds which object is meant: the kind by any word that kubectl takes, and the
// namespace where it needs one.
func (o *Options) object(ctx context.Context, c client.Client, d discovery.DiscoveryInterface) (deletion.Object, error) {
	mapping, err := o.mapping(c, d)
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
		object.Namespace, err = argoNamespace(ctx, c)
		return object, err
	default:
		return object, exit.Failed(fmt.Sprintf("a %s lives in a namespace", gvk.Kind), "name it with -n NAMESPACE")
	}
}

// mapping is the kind that a word stands for: Demarc's words first, then kubectl's.
func (o *Options) mapping(c client.Client, d discovery.DiscoveryInterface) (*meta.RESTMapping, error) {
	if kind, err := target.ParseKind(o.Word); err == nil {
		mapping, err := c.RESTMapper().RESTMapping(kind.GVK().GroupKind())
		return mapping, exit.Unreadable(err, "find the kind "+kind.Name)
	}
	groups, err := restmapper.GetAPIGroupResources(d)
	if err != nil {
		return nil, exit.Unreadable(err, "ask which kinds there are")
	}
	mapper := restmapper.NewShortcutExpander(restmapper.NewDiscoveryRESTMapper(groups), d, nil)
	full, resource := schema.ParseResourceArg(strings.ToLower(o.Word))
	if full != nil {
		if gvk, err := mapper.KindFor(*full); err == nil {
			return mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		}
	}
	gvk, err := mapper.KindFor(resource.WithVersion(""))
	if err != nil {
		return nil, exit.Failed(fmt.Sprintf("the cluster has no kind %q", o.Word), "kubectl api-resources lists the kinds that it has")
	}
	mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	return mapping, exit.Unreadable(err, "find the kind "+gvk.Kind)
}

// argoNamespace is where Argo CD's objects are that Demarc makes.
func argoNamespace(ctx context.Context, c client.Reader) (string, error) {
	p := &v1alpha1.Platform{}
	err := c.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, p)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) && !meta.IsNoMatchError(err) {
		return "", exit.Unreadable(err, "read the Platform")
	}
	if err != nil {
		p = nil
	}
	return render.SettingsOf(p).ArgoCDNamespace, nil
}
