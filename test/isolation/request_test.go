package isolation

import (
	"context"
	"maps"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// answer to a request: let through, refused for want of a right, or by a policy or a
// check of Kubernetes' own.
type answer struct {
	allowed, noRight bool
	policy           string
}

// of reads it from an error; what is neither is an error of the test's.
func of(err error) (answer, error) {
	if err == nil {
		return answer{allowed: true}, nil
	}
	_, rest, found := strings.Cut(err.Error(), "ValidatingAdmissionPolicy '")
	name, _, _ := strings.Cut(rest, "'")
	switch {
	case found:
		return answer{policy: "`" + name + "`"}, nil
	case strings.Contains(err.Error(), escalation):
		return answer{policy: "Kubernetes' escalation check"}, nil
	case strings.Contains(err.Error(), podSecurity):
		return answer{policy: "Pod Security"}, nil
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), " cannot "):
		return answer{noRight: true}, nil
	default:
		return answer{}, err
	}
}

// acting connects as somebody.
func acting(t *testing.T, p persona) dynamic.Interface {
	t.Helper()
	config := quietly()
	config.Impersonate = rest.ImpersonationConfig{UserName: p.user, Groups: p.groups}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask makes one request that changes nothing: a dry run where it would write.
func ask(ctx context.Context, c dynamic.ResourceInterface, verb string, live, fresh *unstructured.Unstructured) error {
	dry := []string{metav1.DryRunAll}
	var err error
	switch verb {
	case "get":
		_, err = c.Get(ctx, live.GetName(), metav1.GetOptions{})
	case "list":
		_, err = c.List(ctx, metav1.ListOptions{Limit: 1})
	case "watch":
		w, failed := c.Watch(ctx, metav1.ListOptions{})
		if err = failed; err == nil {
			w.Stop()
		}
	case "create":
		_, err = c.Create(ctx, fresh, metav1.CreateOptions{DryRun: dry})
	case "update":
		changed := live.DeepCopy()
		labels := map[string]string{"asked": "yes"}
		maps.Copy(labels, live.GetLabels())
		changed.SetLabels(labels)
		_, err = c.Update(ctx, changed, metav1.UpdateOptions{DryRun: dry})
	case "patch":
		_, err = c.Patch(ctx, live.GetName(), types.MergePatchType, []byte(`{"metadata":{"labels":{"asked":"yes"}}}`), metav1.PatchOptions{DryRun: dry})
	case "delete":
		err = c.Delete(ctx, live.GetName(), metav1.DeleteOptions{DryRun: dry})
	case "deletecollection":
		err = c.DeleteCollection(ctx, metav1.DeleteOptions{DryRun: dry}, metav1.ListOptions{FieldSelector: "metadata.name=" + live.GetName()})
	}
	return err
}

// asked asks again where controllers wrote to the object meanwhile.
func asked(ctx context.Context, t *testing.T, c dynamic.ResourceInterface, verb string, live, fresh *unstructured.Unstructured) error {
	for {
		err := ask(ctx, c, verb, live, fresh)
		if !apierrors.IsConflict(err) {
			return err
		}
		gvr, _ := meta.UnsafeGuessKindToResource(live.GroupVersionKind())
		if live, err = within(dynamicClient(t), gvr, live.GetNamespace()).Get(ctx, live.GetName(), metav1.GetOptions{}); err != nil {
			return err
		}
	}
}

// within is the client for a kind in a namespace, or of a kind without one.
func within(c dynamic.Interface, gvr schema.GroupVersionResource, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return c.Resource(gvr)
	}
	return c.Resource(gvr).Namespace(namespace)
}
