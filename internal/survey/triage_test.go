package survey

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// triageCluster serves some kinds, each with objects in two namespaces; may says who may list what.
func triageCluster(may func(resource, namespace string) bool) (Cluster, *[]string) {
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion, argocd.GroupVersion})
	for _, kind := range []string{"Pod", "Secret"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	mapper.Add(argocd.ApplicationKind, meta.RESTScopeNamespace)
	asked := &[]string{}
	list := func(_ context.Context, _ client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
		o := (&client.ListOptions{}).ApplyOptions(options)
		kind := strings.TrimSuffix(into.GetObjectKind().GroupVersionKind().Kind, "List")
		resource := strings.ToLower(kind) + "s"
		if !may(resource, o.Namespace) {
			return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("no"))
		}
		names := map[string][]types.NamespacedName{
			"Pod": {{Namespace: "team-a", Name: "p"}, {Namespace: "team-b", Name: "p"}}, "Secret": {{Namespace: "team-a", Name: "s"}}, "Node": {{Name: "n"}},
			"Application": {{Namespace: "argocd", Name: "team-a"}, {Namespace: "argocd", Name: "team-b"}},
		}[kind]
		for _, n := range names {
			if o.Namespace != "" && o.Namespace != n.Namespace {
				continue
			}
			switch to := into.(type) {
			case *metav1.PartialObjectMetadataList:
				*asked = append(*asked, "metadata of "+kind)
				to.Items = append(to.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: n.Name}})
			case *unstructured.UnstructuredList:
				one := unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"destination": map[string]any{"namespace": n.Name}}}}
				one.SetGroupVersionKind(map[bool]schema.GroupVersionKind{true: argocd.ApplicationKind, false: corev1.SchemeGroupVersion.WithKind(kind)}[kind == "Application"])
				one.SetNamespace(n.Namespace)
				one.SetName(n.Name)
				to.Items = append(to.Items, one)
			}
		}
		return nil
	}
	c := fake.NewClientBuilder().WithRESTMapper(mapper).WithInterceptorFuncs(interceptor.Funcs{List: list}).Build()
	return Cluster{Client: c}, asked
}

func known(set *snapshot.Set) (objects, unread []string) {
	for _, o := range set.All() {
		objects = append(objects, strings.TrimPrefix(o.GetNamespace()+"/", "/")+o.GetKind()+"/"+o.GetName())
	}
	for _, u := range set.Unread() {
		unread = append(unread, u.String())
	}
	return objects, unread
}

// All is read that may be; where that is refused, what was asked about; alone nothing else.
func TestTriage(t *testing.T) {
	all := func(string, string) bool { return true }
	own := func(_, namespace string) bool { return namespace == "team-a" }
	for name, c := range map[string]struct {
		may             func(resource, namespace string) bool
		q               Triaged
		objects, unread []string
	}{
		"all":  {all, Triaged{}, []string{"argocd/Application/team-a", "argocd/Application/team-b", "Node/n", "team-a/Pod/p", "team-b/Pod/p", "team-a/Secret/s"}, nil},
		"wide": {all, Triaged{Namespaces: []string{"team-a"}}, []string{"argocd/Application/team-a", "argocd/Application/team-b", "Node/n", "team-a/Pod/p", "team-b/Pod/p", "team-a/Secret/s"}, nil},
		"alone": {all, Triaged{Namespaces: []string{"team-a"}, Alone: true}, []string{"argocd/Application/team-a", "Node/n", "team-a/Pod/p", "team-a/Secret/s"},
			[]string{"list applications.argoproj.io: " + snapshot.NotAsked, "list pods: " + snapshot.NotAsked, "list secrets: " + snapshot.NotAsked}},
		"own": {own, Triaged{Namespaces: []string{"team-a"}}, []string{"team-a/Pod/p", "team-a/Secret/s"},
			[]string{"list applications.argoproj.io", "list applications.argoproj.io in argocd", "list nodes", "list pods", "list secrets"}},
		"others": {own, Triaged{Namespaces: []string{"team-b"}}, nil,
			[]string{"list applications.argoproj.io", "list applications.argoproj.io in argocd", "list nodes", "list pods", "list pods in team-b", "list secrets", "list secrets in team-b"}},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, asked := triageCluster(c.may)
			set, err := cluster.Triage(t.Context(), time.Unix(0, 0), c.q)
			if err != nil {
				t.Fatal(err)
			}
			objects, unread := known(set)
			if diff := cmp.Diff(c.objects, objects); diff != "" {
				t.Errorf("it reads (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.unread, unread); diff != "" {
				t.Errorf("it misses (-want +got)\n%s", diff)
			}
			for _, a := range *asked {
				if a != "metadata of Secret" {
					t.Errorf("it asks for %s", a)
				}
			}
			_, here := set.Missed(pods, "team-a", "")
			_, there := set.Missed(pods, "team-b", "")
			_, everywhere := set.Missed(pods, "", "")
			want := map[string][3]bool{"alone": {false, true, true}, "own": {false, true, true}, "others": {true, true, true}}[name]
			if got := [3]bool{here, there, everywhere}; got != want {
				t.Errorf("pods are missed: %v, want %v", got, want)
			}
			if len(set.Unserved()) != len(triage.Kinds)-4 {
				t.Errorf("not served are %v", set.Unserved())
			}
		})
	}
}
