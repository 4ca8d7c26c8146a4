package survey

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

var (
	pods     = schema.GroupKind{Kind: "Pod"}
	podsName = schema.GroupResource{Resource: "pods"}
)

// fakeCluster knows pods alone; get and list answer in the place of a server.
func fakeCluster(get func(name string) error, list func(client.ObjectList, *client.ListOptions) error) Cluster {
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	c := fake.NewClientBuilder().WithRESTMapper(mapper).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
			return get(key.Name)
		},
		List: func(_ context.Context, _ client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
			return list(into, (&client.ListOptions{}).ApplyOptions(options))
		},
	}).Build()
	return Cluster{Client: c}
}

// Each error of a read means something else: absent, not permitted, failed, not served.
func TestErrorsAreSorted(t *testing.T) {
	c := fakeCluster(func(name string) error {
		return map[string]error{
			"absent":    apierrors.NewNotFound(podsName, name),
			"forbidden": apierrors.NewForbidden(podsName, name, errors.New("no")),
			"slow":      apierrors.NewTimeoutError("slow", 1),
		}[name]
	}, nil)
	s := c.begin(t.Context(), time.Time{})
	for _, name := range []string{"absent", "forbidden", "slow"} {
		if o := s.get(pods, "ns", name); o != nil {
			t.Errorf("%s was read: %v", name, o)
		}
	}
	s.get(schema.GroupKind{Group: "argoproj.io", Kind: "Application"}, "ns", "any")
	set, err := s.done()
	if err != nil {
		t.Fatal(err)
	}
	var missed []string
	for _, u := range set.Unread() {
		missed = append(missed, u.String())
	}
	if diff := cmp.Diff([]string{"get pods forbidden in ns", "get pods slow in ns: Timeout: slow"}, missed); diff != "" {
		t.Errorf("missed (-want +got)\n%s", diff)
	}
	if _, missed := set.Missed(pods, "ns", "absent"); missed || !set.Serves(pods) || set.Serves(schema.GroupKind{Group: "argoproj.io", Kind: "Application"}) {
		t.Error("what is absent was missed, or a kind is served that is not")
	}
}

// A list is asked for page by page, and a page that fails is said.
func TestPages(t *testing.T) {
	pages := map[string]string{"": "second", "second": "third", "third": ""}
	list := func(into client.ObjectList, o *client.ListOptions) error {
		if o.Limit != page || o.Namespace != "ns" {
			return errors.New("asked for another list")
		}
		items := into.(*unstructured.UnstructuredList)
		pod := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"namespace": "ns", "name": "of-" + o.Continue}}}
		items.Items = []unstructured.Unstructured{pod}
		items.SetContinue(pages[o.Continue])
		return nil
	}
	s := fakeCluster(nil, list).begin(t.Context(), time.Time{})
	s.list(pods, client.InNamespace("ns"))
	set, _ := s.done()
	if n := len(set.In("ns")); n != 3 || len(set.Unread()) != 0 {
		t.Errorf("%d of 3 pages, missed %v", n, set.Unread())
	}
	s = fakeCluster(nil, func(client.ObjectList, *client.ListOptions) error {
		return apierrors.NewForbidden(podsName, "", errors.New("no"))
	}).begin(t.Context(), time.Time{})
	s.listMetadata(pods, client.InNamespace("ns"))
	if u, missed := s.set.Missed(pods, "ns", ""); !missed || u.String() != "list pods in ns" {
		t.Errorf("missed: %v", u)
	}
}

// A survey that is broken off answers nothing.
func TestBrokenOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := fakeCluster(func(string) error { return ctx.Err() }, nil)
	s := c.begin(ctx, time.Time{})
	s.get(pods, "ns", "any")
	if set, err := s.done(); set != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", set, err)
	}
}

// Kinds that keep nothing are not asked for.
func TestMappings(t *testing.T) {
	verbs := metav1.Verbs{"list"}
	got := mappings([]*metav1.APIResourceList{{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "pods", Kind: "Pod", Verbs: verbs}, {Name: "pods/log", Kind: "Pod", Verbs: verbs}, {Name: "events", Kind: "Event", Verbs: verbs},
		{Name: "bindings", Kind: "Binding", Verbs: metav1.Verbs{"create"}},
	}}, {GroupVersion: "a/b/c"}})
	if len(got) != 1 || got[0].Resource.Resource != "pods" {
		t.Errorf("it would ask for %v", got)
	}
}

// What is compared with the contract is read without what never is.
func TestLean(t *testing.T) {
	object := func(apiVersion, kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": "s", "status": "s",
			"metadata": map[string]any{"name": "n", "labels": map[string]any{"l": "v"}, "managedFields": []any{map[string]any{"manager": "m"}}}}}
	}
	for _, c := range []struct {
		apiVersion, kind string
		status           bool
	}{{"argoproj.io/v1alpha1", "Application", false}, {"v1", "ResourceQuota", false}, {"demarc.dev/v1alpha1", "AccessGrant", true}} {
		o := lean(object(c.apiVersion, c.kind))
		if _, status := o.Object["status"]; status != c.status || o.GetManagedFields() != nil || o.Object["spec"] == nil || o.GetLabels()["l"] != "v" {
			t.Errorf("of %s it leaves %v", c.kind, o.Object)
		}
	}
}
