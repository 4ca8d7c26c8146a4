package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/render"
)

// Find is the kind of any sort that a word stands for: Demarc's words first, then
// kubectl's.
func Find(word string, c client.Client, d discovery.DiscoveryInterface) (*meta.RESTMapping, error) {
	if kind, err := ParseKind(word); err == nil {
		mapping, err := c.RESTMapper().RESTMapping(kind.GVK().GroupKind())
		return mapping, exit.Unreadable(err, "find the kind "+kind.Name)
	}
	groups, err := restmapper.GetAPIGroupResources(d)
	if err != nil {
		return nil, exit.Unreadable(err, "ask which kinds there are")
	}
	mapper := restmapper.NewShortcutExpander(restmapper.NewDiscoveryRESTMapper(groups), d, nil)
	full, resource := schema.ParseResourceArg(strings.ToLower(word))
	if full != nil {
		if gvk, err := mapper.KindFor(*full); err == nil {
			return mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		}
	}
	gvk, err := mapper.KindFor(resource.WithVersion(""))
	if err != nil {
		return nil, noKind(word, groups)
	}
	mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	return mapping, exit.Unreadable(err, "find the kind "+gvk.Kind)
}

// ErrNoKind is the cause where a cluster serves no kind of the name.
var ErrNoKind = errors.New("no such kind")

// noKind says so, and which may have been meant.
func noKind(word string, groups []*restmapper.APIGroupResources) error {
	var known []string
	for _, g := range groups {
		for _, resources := range g.VersionedResources {
			for _, r := range resources {
				if !strings.Contains(r.Name, "/") {
					known = append(known, r.Name, strings.ToLower(r.Kind))
				}
			}
		}
	}
	slices.Sort(known) // of two that are as near the same one is named each time
	what := fmt.Sprintf("the cluster has no kind %q", word)
	name, _, _ := strings.Cut(word, ".")
	if like, ok := contract.Nearest(name, known); ok {
		what += "; did you mean " + like + "?"
	}
	return &exit.Error{Code: exit.Unknown, What: what, Next: "kubectl api-resources lists the kinds that it has", Err: ErrNoKind}
}

// ArgoNamespace is where Argo CD's objects are that Demarc makes.
func ArgoNamespace(ctx context.Context, c client.Reader) (string, error) {
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
