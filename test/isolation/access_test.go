package isolation

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
)

// personas are asked for. The team is "access"; "stranger" is another, and "bystander" one
// that none of them is of.
var personas = []persona{
	as("access", "view"), as("access", "operate"), as("access", "edit"), deliverer("access"),
	named(as("stranger", "edit"), "another team's edit"),
	{name: "no team", user: "passer-by", groups: []string{"system:authenticated"}},
}

func named(p persona, name string) persona { p.name = name; return p }

// Where a request goes: into the team's namespace, into one that is nobody's of these,
// or to all at once and to what has no namespace.
const (
	home  = "team-access"
	other = "team-bystander"
	whole = ""
)

// right is a verb on a resource, or on a subresource as resource/subresource.
type right struct {
	resource schema.GroupResource
	verb     string
}

// rights of a persona in a place.
type held map[right]bool

// review asks the API server for every right of everybody everywhere.
func review(t *testing.T, rights []right, namespaced map[schema.GroupResource]bool) map[string]map[string]held {
	t.Helper()
	client, err := kubernetes.NewForConfig(quietly())
	if err != nil {
		t.Fatal(err)
	}
	out, lock := map[string]map[string]held{}, sync.Mutex{}
	parallel, ctx := errgroup.WithContext(t.Context())
	parallel.SetLimit(8)
	for _, p := range personas { // all are there before the first answer comes
		out[p.name] = map[string]held{home: {}, other: {}, whole: {}}
	}
	for _, p := range personas {
		for _, place := range []string{home, other, whole} {
			for _, r := range rights {
				if place != whole && !namespaced[r.resource] {
					continue
				}
				parallel.Go(func() error {
					ok, err := may(ctx, client, p, place, r)
					lock.Lock()
					defer lock.Unlock()
					if ok {
						out[p.name][place][r] = true
					}
					return err
				})
			}
		}
	}
	if err := parallel.Wait(); err != nil {
		t.Fatal(err)
	}
	return out
}

func may(ctx context.Context, client kubernetes.Interface, p persona, place string, r right) (bool, error) {
	resource, subresource, _ := strings.Cut(r.resource.Resource, "/")
	answer, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: p.user, Groups: p.groups, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: place, Verb: r.verb, Group: r.resource.Group, Resource: resource, Subresource: subresource,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask whether %s may %s %s in %q: %w", p.name, r.verb, r.resource, place, err)
	}
	return answer.Status.Allowed, nil
}

// TestAccess asks for every right and holds the answers against the table of
// internal/ownership and against docs/access.md.
func TestAccess(t *testing.T) {
	t.Parallel()
	accessTeams(t)
	rights, namespaced := served(t)
	found := review(t, rights, namespaced)
	for _, p := range personas {
		for place, want := range tabled(p) {
			compare(t, p.name+" in "+placeName(place), want, found[p.name][place], rights, namespaced, place)
		}
	}
	kindsHold(t, rights, found)
	pathsRefused(t)
	section(t, "access.md", "reviews", accessTables(rights, found))
}

// pathsRefused: what is no resource is nobody's, but what tells of versions and health.
func pathsRefused(t *testing.T) {
	t.Helper()
	client, err := kubernetes.NewForConfig(quietly())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range personas {
		for path, want := range map[string]bool{"/version": true, "/api": true, "/metrics": false, "/logs/": false, "/debug/pprof/": false, "/configz": false} {
			answer, err := client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: p.user, Groups: p.groups,
					NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: "get"}},
			}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if answer.Status.Allowed != want {
				t.Errorf("%s: get %s is %v, want %v", p.name, path, answer.Status.Allowed, want)
			}
		}
	}
}
