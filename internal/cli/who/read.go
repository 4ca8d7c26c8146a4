package who

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/who"
)

// fromCluster asks a cluster.
func (o *Options) fromCluster(ctx context.Context, q who.Question) (who.Answer, error) {
	c, err := o.Client()
	if err != nil {
		return who.Answer{}, o.orOffline(err)
	}
	d, err := o.Discovery()
	if err != nil {
		return who.Answer{}, err
	}
	if o.Word != "" {
		if q.Object, err = o.object(ctx, c, d); err != nil {
			return who.Answer{}, o.orOffline(err)
		}
	}
	set, q, err := survey.Cluster{Client: c, Discovery: d}.Who(ctx, q, o.Clock.Now())
	if err != nil {
		return who.Answer{}, exit.Unreadable(err, "ask the cluster")
	}
	if why := who.Unanswerable(set); why != "" {
		return who.Answer{}, o.orOffline(exit.Failed("cannot read the ownership contract: "+why, "see whether the cluster can be reached: kubectl version"))
	}
	return who.Decide(set, q).Answer, o.checkRepository(set, q)
}

// orOffline adds that there is a way without a cluster.
func (o *Options) orOffline(err error) error {
	if exit.Code(err) != exit.Unknown || errors.Is(err, context.Canceled) {
		return err
	}
	return exit.Add(err, "Without a cluster: --offline asks the contract that comes with Demarc, -f reads files.")
}

// object finds which object is meant: the kind by any word that kubectl takes, and the
// namespace where it needs one.
func (o *Options) object(ctx context.Context, c client.Client, d discovery.DiscoveryInterface) (*who.Object, error) {
	mapping, err := target.Find(o.Word, c, d)
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

// fromFiles answers from what files hold, or from nothing.
func (o *Options) fromFiles(q who.Question) (who.Answer, error) {
	set := &snapshot.Set{At: o.Clock.Now()}
	q.From = who.FromNothing
	if len(o.Files) > 0 {
		q.From = who.FromFiles
		docs, err := manifest.Read(o.Files, o.IO.In, o.Recursive)
		if err != nil {
			return who.Answer{}, exit.Failed(err.Error(), "give files as kubectl get -o yaml writes them")
		}
		for _, d := range docs {
			read := &unstructured.Unstructured{}
			if err := read.UnmarshalJSON(d.JSON); err != nil {
				return who.Answer{}, exit.Failed(d.Errorf("", "it cannot be read: %v", err).Error(), "")
			}
			set.Add(read)
		}
	}
	if o.Word != "" {
		object, err := o.inFiles(set)
		if err != nil {
			return who.Answer{}, err
		}
		q.Object = object
	}
	return who.FromSet(set, q), o.checkRepository(set, q)
}

// inFiles finds which object is meant; a name that is in the files once needs no
// namespace.
func (o *Options) inFiles(set *snapshot.Set) (*who.Object, error) {
	found, ok := who.ParseKind(o.Word, set)
	if !ok {
		return nil, exit.Failed(fmt.Sprintf("no kind %q is known", o.Word), "name it as kubectl does, such as deployment or deployments.apps")
	}
	found.Name, found.Namespace = o.Name, o.Namespace
	if found.Name != "" && !found.Cluster && found.Namespace == "" {
		var in []string
		for _, one := range set.Of(found.GroupKind()) {
			if one.GetName() == o.Name {
				in = append(in, one.GetNamespace())
			}
		}
		if len(in) > 1 {
			return nil, exit.Failed(fmt.Sprintf("%s is in several namespaces: %s", found, strings.Join(in, ", ")), "name one with -n NAMESPACE")
		}
		found.Namespace = strings.Join(in, "")
		return &found, nil
	}
	return &found, placed(&found)
}

// checkRepository refuses a repository that the contract does not name.
func (o *Options) checkRepository(set *snapshot.Set, q who.Question) error {
	names, ok := who.Repository(set, q)
	if ok {
		return nil
	}
	return exit.Failed(fmt.Sprintf("the contract names no repository %q", o.Repository), "it names "+cmp.Or(strings.Join(names, ", "), "none"))
}

// holds are the objects of the file that is asked about, where it is here to be read.
func (o *Options) holds() (list []who.Held) {
	info, err := os.Stat(o.Path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	docs, _ := manifest.Read([]string{o.Path}, nil, false) // what cannot be read decides nothing
	for _, d := range docs {
		read := &unstructured.Unstructured{}
		if read.UnmarshalJSON(d.JSON) != nil {
			continue
		}
		kind := read.GroupVersionKind()
		held := who.Held{Labels: read.GetLabels()}
		held.Object = who.Object{Group: kind.Group, Kind: kind.Kind, Namespace: read.GetNamespace(), Name: read.GetName()}
		if !slices.ContainsFunc(list, func(h who.Held) bool { return h.Object == held.Object }) {
			list = append(list, held)
		}
	}
	return list
}
