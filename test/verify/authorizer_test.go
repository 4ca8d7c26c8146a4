package verify

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/rbac"
)

// asTheAuthorizer holds internal/rbac to answer as the API server's own authorizer does, for
// bindings and roles of every shape.
func asTheAuthorizer(t *testing.T) {
	odd := oddities(t)
	client, err := kubernetes.NewForConfig(env.Config)
	must(t, err)
	world := worldNow(t)
	people := []rbac.Identity{
		{User: "lee", Groups: []string{"system:authenticated"}}, {User: "x", Groups: []string{"payments-devs", "system:authenticated"}},
		{User: "x", Groups: []string{"payments-oncall", "system:authenticated"}}, {User: "x", Groups: []string{"odd", "system:authenticated"}},
		{User: "x", Groups: []string{"platform-engineers", "system:authenticated"}}, {User: "x", Groups: []string{"system:masters"}},
		{User: "system:anonymous", Groups: []string{"system:unauthenticated"}},
		rbac.Account("team-payments", "demarc-deliver"), rbac.Account("odd", "bot"), rbac.Account("kube-system", "generic-garbage-collector"),
	}
	var asked []rbac.Request
	for _, k := range contract.Kinds {
		for _, verb := range []string{"get", "create", "patch", "deletecollection", "escalate", "*"} {
			asked = append(asked, rbac.Request{Verb: verb, Group: k.Group, Resource: k.Resource}, rbac.Request{Verb: verb, Group: k.Group, Resource: k.Resource, Name: "one"})
		}
		asked = append(asked, rbac.Request{Verb: "get", Group: k.Group, Resource: k.Resource + "/status"}, rbac.Request{Verb: "update", Group: k.Group, Resource: k.Resource + "/scale"})
	}
	for _, path := range []string{"/version", "/api", "/api/v1", "/healthz", "/metrics", "/odd", "/odd/", "/odd/and/deep", "/"} {
		asked = append(asked, rbac.Request{Verb: "get", Path: path}, rbac.Request{Verb: "post", Path: path})
	}
	var count atomic.Int64
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(16)
	for _, who := range people {
		for _, place := range []string{"", "team-payments", "team-shop", "odd"} {
			grants := world.For(who, place)
			for _, r := range asked {
				if r.Path != "" && place != "" {
					continue
				}
				group.Go(func() error {
					is, err := allows(ctx, client, who, place, r)
					count.Add(1)
					if want := grants.Allow(r) != nil; err == nil && is != want {
						mu.Lock()
						defer mu.Unlock()
						t.Errorf("%v in %q: %+v: the API server says %v", who, place, r, is)
					}
					return err
				})
			}
		}
	}
	must(t, group.Wait())
	if count.Load() < 10_000 {
		t.Errorf("only %d questions were asked", count.Load())
	}
	for _, o := range odd {
		must(t, env.Client.Delete(t.Context(), o))
	}
}

func allows(ctx context.Context, client kubernetes.Interface, who rbac.Identity, place string, r rbac.Request) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: who.User, Groups: who.Groups}}
	resource, sub, _ := strings.Cut(r.Resource, "/")
	if r.Path != "" {
		review.Spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: r.Path, Verb: r.Verb}
	} else {
		review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{Namespace: place, Verb: r.Verb, Group: r.Group, Resource: resource, Subresource: sub, Name: r.Name}
	}
	answer, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask for %+v: %w", r, err)
	}
	return answer.Status.Allowed, nil
}

func worldNow(t *testing.T) *rbac.World {
	t.Helper()
	w := &rbac.World{}
	var cr rbacv1.ClusterRoleList
	var r rbacv1.RoleList
	var crb rbacv1.ClusterRoleBindingList
	var rb rbacv1.RoleBindingList
	must(t, env.Client.List(t.Context(), &cr))
	must(t, env.Client.List(t.Context(), &r))
	must(t, env.Client.List(t.Context(), &crb))
	must(t, env.Client.List(t.Context(), &rb))
	w.ClusterRoles, w.Roles = cr.Items, r.Items
	for i := range crb.Items {
		w.AddClusterRoleBinding(&crb.Items[i])
	}
	for i := range rb.Items {
		w.AddRoleBinding(&rb.Items[i])
	}
	w.Index()
	return w
}
