package who

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/who"
)

// fromCluster asks a cluster.
func (o *Options) fromCluster(ctx context.Context, q who.Question) (who.Answer, error) {
	c, err := o.Client()
	if errors.Is(err, factory.ErrFlag) {
		return who.Answer{}, err
	}
	if err != nil {
		return who.Answer{}, offline(err)
	}
	d, err := o.Discovery()
	if err != nil {
		return who.Answer{}, err
	}
	if o.Word != "" {
		if q.Object, err = o.object(ctx, c, d); err != nil {
			return who.Answer{}, orOffline(err)
		}
	}
	set, q, err := survey.Cluster{Client: c, Discovery: d}.Who(ctx, q, o.Clock.Now())
	if err != nil {
		return who.Answer{}, exit.Unreadable(err, "ask the cluster")
	}
	if why := who.Unanswerable(set); why != "" {
		return who.Answer{}, offline(exit.Failed("cannot read the ownership contract: "+why, "see whether the cluster can be reached: kubectl version"))
	}
	return who.Decide(set, q).Answer, o.checked(set, q)
}

// orOffline adds that there is a way without a cluster, where it is the cluster that fails.
func orOffline(err error) error {
	var e *exit.Error
	if !errors.As(err, &e) || e.Code != exit.Unknown || e.Err == nil || errors.Is(err, target.ErrNoKind) {
		return err
	}
	return offline(err)
}

func offline(err error) error {
	return exit.Add(err, "Without a cluster: --offline asks the contract that comes with Demarc, -f reads files.")
}

// object finds which object is meant: the kind by any word that kubectl takes, or by one of
// the contract, and the namespace where it needs one.
func (o *Options) object(ctx context.Context, c client.Client, d discovery.DiscoveryInterface) (*who.Object, error) {
	mapping, err := target.Find(o.Word, c, d)
	if errors.Is(err, target.ErrNoKind) {
		if named, ok := o.named(ctx, c); ok {
			return named, nil
		}
	}
	if err != nil {
		return nil, err
	}
	gvk := mapping.GroupVersionKind
	found := &who.Object{Group: gvk.Group, Kind: gvk.Kind, Resource: mapping.Resource.Resource,
		Cluster: mapping.Scope.Name() == meta.RESTScopeNameRoot, Name: o.Name, Namespace: o.Namespace}
	if gvk.Group == argocd.GroupVersion.Group && o.Name != "" && o.Namespace == "" {
		found.Namespace, err = target.ArgoNamespace(ctx, c)
	}
	return found, errors.Join(err, placed(found))
}

// named finds a kind that the contract names and the cluster does not serve.
func (o *Options) named(ctx context.Context, c client.Client) (*who.Object, bool) {
	set := &snapshot.Set{}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("OwnershipContract"))
	if c.Get(ctx, types.NamespacedName{Name: v1alpha1.ContractName}, live) == nil {
		set.Add(live)
	}
	found, ok := who.NamedKind(o.Word, set)
	found.Name, found.Namespace = o.Name, o.Namespace
	return &found, ok
}

// placed refuses a namespace that is missing, or has no place.
func placed(o *who.Object) error {
	switch {
	case o.Cluster && o.Namespace != "":
		return exit.Failed(fmt.Sprintf("a %s lives in no namespace", o.Kind), "leave --namespace out")
	case !o.Cluster && o.Name != "" && o.Namespace == "":
		return exit.Failed(fmt.Sprintf("a %s lives in a namespace", o.Kind), "name it with -n NAMESPACE; without a name the kind is asked about")
	default:
		return nil
	}
}

// checked refuses a repository that the contract does not name, and a field that the kind
// does not have.
func (o *Options) checked(set *snapshot.Set, q who.Question) error {
	if names, ok := who.Repository(set, q); !ok {
		return exit.Failed(fmt.Sprintf("the contract names no repository %q", o.Repository), "it names "+cmp.Or(plain.Line(strings.Join(names, ", ")), "none"))
	}
	if unknown, instead := who.NoField(set, q); unknown != "" {
		return exit.Failed(fmt.Sprintf("%s has no field %s: %s", q.Object.Kind, unknown, instead), "kubectl explain "+strings.ToLower(q.Object.Kind)+" lists its fields")
	}
	return nil
}
