package isolation

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"

	"demarc.dev/demarc/internal/contract"
)

// TestRequestsAnswerAsReviewed makes each request for real: who, which verb, which
// delivered kind, in the own namespace and in another. Its answer is the review's, or a
// policy refuses what the review allows; these are written down.
func TestRequestsAnswerAsReviewed(t *testing.T) {
	t.Parallel()
	accessTeams(t)
	reviews, err := kubernetes.NewForConfig(quietly())
	if err != nil {
		t.Fatal(err)
	}
	rights, _ := served(t)
	barred, lock := refusals{}, sync.Mutex{}
	parallel, ctx := errgroup.WithContext(t.Context())
	parallel.SetLimit(8)
	for _, team := range []string{"access", "bystander"} {
		for _, k := range deliverable() {
			if !slices.ContainsFunc(rights, func(r right) bool { return r.resource == (schema.GroupResource{Group: k.Group, Resource: k.Resource}) }) {
				continue // what is not served cannot be made
			}
			live := made(t, sample(t, k, team, "sample"), versionOf(k))
			fresh := sample(t, k, team, "fresh")
			for _, p := range personas {
				c := within(acting(t, p), versionOf(k), live.GetNamespace())
				for _, verb := range verbs {
					parallel.Go(func() error {
						may, err := may(ctx, reviews, p, live.GetNamespace(), right{schema.GroupResource{Group: k.Group, Resource: k.Resource}, verb})
						if err != nil {
							return err
						}
						got, err := of(asked(ctx, t, c, verb, live, fresh))
						if err != nil {
							return fmt.Errorf("%s: %s %s of team %s: %w", p.name, verb, describe(k), team, err)
						}
						if may == got.noRight {
							t.Errorf("%s: %s %s of team %s: the review says %v, the answer is %+v", p.name, verb, describe(k), team, may, got)
						}
						lock.Lock()
						defer lock.Unlock()
						barred.add(what(k, team, p), verb, p.name, got)
						return nil
					})
				}
			}
		}
	}
	if err := parallel.Wait(); err != nil {
		t.Fatal(err)
	}
	platformsKept(t, barred)
	contentsRefused(t, barred)
	section(t, "access.md", "policies", barred.table())
}

// what a request was for, as the document says it.
func what(k contract.Row, team string, p persona) string {
	switch {
	case !k.Cluster:
		return "`" + describe(k) + "`: a change of its labels"
	case team == "access" && p.name != "another team's edit":
		return "`" + describe(k) + "`: the team's own claim, a change of its labels"
	default:
		return "`" + describe(k) + "`: another team's claim"
	}
}

// made creates an object as administrator and reads it.
func made(t *testing.T, o *unstructured.Unstructured, gvr schema.GroupVersionResource) *unstructured.Unstructured {
	t.Helper()
	c := within(dynamicClient(t), gvr, o.GetNamespace())
	if _, err := c.Create(t.Context(), o, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatalf("make %s %s: %v", o.GetKind(), o.GetName(), err)
	}
	live, err := c.Get(t.Context(), o.GetName(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return live
}
