package takedown

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/render"
)

// shown is how many names a sentence lists.
const shown = 20

// Live names those of a claim's inventory that are there. What may not be looked at
// is named with a word of that.
func Live(ctx context.Context, c client.Reader, claim *v1alpha1.ServiceClaim) ([]string, error) {
	var live []string
	for _, o := range claim.Status.Inventory {
		like := &metav1.PartialObjectMetadata{}
		like.SetGroupVersionKind(schema.GroupVersionKind{Group: o.Group, Version: o.Version, Kind: o.Kind})
		err := c.Get(ctx, types.NamespacedName{Namespace: o.Namespace, Name: o.Name}, like)
		switch {
		case err == nil:
			live = append(live, named(o))
		case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		case apierrors.IsForbidden(err):
			live = append(live, named(o)+" (you may not look at it)")
		default:
			return nil, exit.Unreadable(err, "see whether "+named(o)+" is there")
		}
	}
	return live, nil
}

func named(o v1alpha1.ClaimObject) string {
	name := strings.ToLower(o.Kind) + "/" + o.Name
	if o.Namespace != "" {
		name += " in " + o.Namespace
	}
	return name
}

// Names lists names, and how many more there are.
func Names(list []string) string {
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
}

// ArgoCDNamespace is where the Platform says that Argo CD is.
func ArgoCDNamespace(ctx context.Context, c client.Reader) (string, error) {
	p := &v1alpha1.Platform{}
	err := client.IgnoreNotFound(c.Get(ctx, types.NamespacedName{Name: v1alpha1.PlatformName}, p))
	if err != nil {
		return "", exit.Unreadable(err, "read the Platform")
	}
	return render.SettingsOf(p).ArgoCDNamespace, nil
}

// Application names a claim's Application, with its namespace where that can be known.
func Application(ctx context.Context, c client.Reader, claim *v1alpha1.ServiceClaim) string {
	name := "Application " + render.ApplicationName(claim)
	if ns, err := ArgoCDNamespace(ctx, c); err == nil {
		name += " in " + ns
	}
	return name
}
