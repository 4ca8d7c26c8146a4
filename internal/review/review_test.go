package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/verify"
)

// authority answers as an API server that agrees with the contract, but for what it gives
// or refuses beside.
type authority struct {
	client.Client
	mu     sync.Mutex
	right  map[string]bool
	beside map[string]bool
	asked  int
	err    error
}

func (a *authority) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	review := o.(*authorizationv1.SubjectAccessReview)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	if a.err != nil {
		return a.err
	}
	key := fmt.Sprint(review.Spec)
	if let, ok := a.beside[key]; ok {
		review.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: let, Reason: "RBAC: by RoleBinding stray"}
		return nil
	}
	review.Status.Allowed = a.right[key]
	return nil
}

// ground is a runner on a cluster in memory, at a clock of the test's own.
type ground struct {
	*Runner
	*authority
	now    *clocktesting.FakePassiveClock
	client client.Client
	told   int
}

func team(name string) *v1alpha1.Tenant {
	t := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}}
	t.Status.Conditions = []metav1.Condition{{Type: readiness.AccessReady, Status: metav1.ConditionTrue, ObservedGeneration: 1}}
	return t
}

func newGround(t *testing.T, objects ...client.Object) *ground {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	now := clocktesting.NewFakePassiveClock(time.Unix(1_000_000, 0))
	g := &ground{now: now, client: c, authority: &authority{right: map[string]bool{}, beside: map[string]bool{}}}
	g.Runner = &Runner{Contracts: &kube.Contracts{Cached: c}, Clock: now, Cached: c, rights: c, asker: g.authority}
	g.Follow(func() { g.told++ })
	g.agree(t)
	g.pace.changed(now.Now())
	return g
}

// agree has the authority answer as the contract says now.
func (g *ground) agree(t *testing.T) *verify.Reviews {
	t.Helper()
	all, _, err := g.gather(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all.Round(verify.Cursor{}, 1_000_000).All() {
		g.right[fmt.Sprint(asReview(q).Spec)] = q.Allowed
	}
	return all
}

// pass moves the clock and does what is due, second by second.
func (g *ground) pass(t *testing.T, d time.Duration) {
	t.Helper()
	for range d / time.Second {
		g.now.SetTime(g.now.Now().Add(time.Second))
		g.step(t.Context())
	}
}

// secrets of a namespace as somebody of a group.
func secrets(group, namespace string) string {
	return fmt.Sprint(asReview(verify.Review{As: rbac.Of(rbacv1.Subject{Kind: rbacv1.GroupKind, Name: group}, ""), Namespace: namespace,
		Request: rbac.Request{Verb: "get", Resource: "secrets"}}).Spec)
}

func TestAgrees(t *testing.T) {
	g := newGround(t, team("payments"), team("shop"))
	g.pass(t, quiet-time.Second)
	if g.Reviewed("") != nil {
		t.Fatal("it was asked before it was quiet")
	}
	g.pass(t, 2*time.Second)
	r, cells := g.Reviewed(""), g.agree(t).Cells()
	if r == nil || r.More+r.Less > 0 || r.Asked != mostAsked || r.Cells != cells || r.Whole || g.told != 1 {
		t.Fatalf("after a round: %+v of %d cells, told %d times", r, cells, g.told)
	}
	g.pass(t, 2*catchUp)
	r = g.Reviewed("")
	if r.Asked != cells || !r.Whole || g.told != 3 {
		t.Errorf("after the third round: %+v of %d cells, told %d times", r, cells, g.told)
	}
	before := g.asked
	g.pass(t, interval-jitter-time.Minute)
	if g.asked != before {
		t.Error("it asked before the hour")
	}
	g.pass(t, 2*jitter+time.Minute)
	if n := g.asked - before; n == 0 || n > mostAsked {
		t.Errorf("after an hour it asked %d times", n)
	}
	g.pass(t, 3*interval)
	if g.told != 3 {
		t.Errorf("it told %d times, and nothing is new", g.told)
	}
}

// What differs counts when it is asked a second time, is asked in each round from then on,
// and is gone when it is mended.
func TestDiffers(t *testing.T) {
	g := newGround(t, team("payments"), team("shop"))
	g.beside[secrets("team-payments", "team-shop")] = true
	g.beside[secrets("team-shop", "team-shop")] = false
	g.pass(t, quiet+time.Second)
	if r := g.Reviewed(""); r != nil {
		t.Fatalf("told before it was asked again: %+v", r)
	}
	g.pass(t, settle+time.Second)
	r := g.Reviewed("")
	if r == nil || r.More != 1 || r.Less != 1 || len(r.Differ) != 2 {
		t.Fatalf("it says %+v", r)
	}
	want := "edit of team payments (group team-payments): get secrets in team-shop (RBAC: by RoleBinding stray)"
	if r.Differ[0] != want || !strings.HasPrefix(r.Differ[1], "edit of team shop") {
		t.Errorf("it names %q, want %q", r.Differ, want)
	}
	delete(g.beside, secrets("team-shop", "team-shop"))
	g.pace.changed(g.now.Now())
	g.pass(t, quiet+time.Second)
	if r := g.Reviewed(""); r.More != 1 || r.Less != 0 {
		t.Errorf("one is mended: %+v", r)
	}
	delete(g.beside, secrets("team-payments", "team-shop"))
	g.pace.changed(g.now.Now())
	g.pass(t, quiet+time.Second)
	if r := g.Reviewed(""); r.More+r.Less > 0 || !r.Mended {
		t.Errorf("all is mended: %+v", r)
	}
}

// Roles that are not written yet when they are asked for are no finding.
func TestInPassing(t *testing.T) {
	g := newGround(t, team("payments"), team("shop"))
	g.beside[secrets("team-shop", "team-shop")] = false
	g.pass(t, quiet+time.Second)
	delete(g.beside, secrets("team-shop", "team-shop"))
	g.pass(t, settle+time.Second)
	if r := g.Reviewed(""); r == nil || r.More+r.Less > 0 || r.Mended {
		t.Errorf("it says %+v", r)
	}
}

// What is known of a team goes with it.
func TestKnownOfATeamThatGoes(t *testing.T) {
	shop := team("shop")
	g := newGround(t, team("payments"), shop)
	g.beside[secrets("team-shop", "team-payments")] = true
	g.pass(t, quiet+settle+2*time.Second)
	if r := g.Reviewed(""); r == nil || r.More != 1 {
		t.Fatalf("it says %+v", r)
	}
	if err := g.client.Delete(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	g.agree(t)
	g.pace.changed(g.now.Now())
	g.pass(t, quiet+settle+2*time.Second)
	if r := g.Reviewed(""); r.More+r.Less > 0 {
		t.Errorf("it says %+v", r)
	}
}

// No answer is no finding: it is said where it lasts, or does not pass by itself.
func TestFails(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}, "", errors.New("no"))
	for name, c := range map[string]struct {
		err   error
		tries int
		says  string
	}{
		"forbidden":      {forbidden, 1, "subjectaccessreviews.authorization.k8s.io is forbidden: no"},
		"no connection":  {errors.New("dial tcp 127.0.0.1:4711: connection refused"), patience + 1, "no answer came"},
		"an outage":      {apierrors.NewServiceUnavailable("later"), patience + 1, ": later"},
		"too many asked": {apierrors.NewTooManyRequests("slowly", 1), patience + 1, ": slowly"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, team("payments"), team("shop"))
			g.pass(t, quiet+time.Second)
			g.err = c.err
			g.pace.changed(g.now.Now())
			g.pass(t, quiet+time.Second)
			for try := 1; try < c.tries; try++ {
				if r := g.Reviewed(""); r.Failed != "" {
					t.Fatalf("after %d tries: %+v", try, r)
				}
				g.pass(t, retry)
			}
			if r := g.Reviewed(""); r.More+r.Less > 0 || !strings.HasSuffix(r.Failed, c.says) {
				t.Fatalf("it says %+v, want %q", r, c.says)
			}
			told := g.told
			g.pass(t, 3*retry)
			if g.told != told {
				t.Errorf("the same failure is told %d times", g.told-told+1)
			}
			g.err = nil
			g.pass(t, retry+time.Second)
			if r := g.Reviewed(""); r.Failed != "" || r.Cells == 0 {
				t.Errorf("it answers again, and is told %+v", r)
			}
		})
	}
}

// What was found of one contract is not said of another, nor is anything of one that
// contradicts itself.
func TestAnotherContract(t *testing.T) {
	g := newGround(t, team("payments"), team("shop"))
	g.pass(t, quiet+2*catchUp+time.Minute)
	if r := g.Reviewed(""); r == nil || !r.Whole {
		t.Fatalf("it says %+v", r)
	}
	own := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName, UID: "u", Generation: 1}, Spec: *contract.Default().Spec.DeepCopy()}
	version := Version(own)
	if err := g.client.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if r := g.Reviewed(version); r != nil {
		t.Errorf("it says %+v of a contract that it did not ask for", r)
	}
	g.pace.changed(g.now.Now())
	g.pass(t, quiet+time.Second)
	if r := g.Reviewed(version); r == nil || r.Whole || r.Asked == 0 || g.Reviewed("") != nil {
		t.Errorf("it says %+v", r)
	}
	own.Spec.Domains[1].Resources = append(own.Spec.Domains[1].Resources, own.Spec.Domains[0].Resources[0])
	own.Generation = 2
	if err := g.client.Update(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	asked := g.asked
	g.pace.changed(g.now.Now())
	g.pass(t, quiet+time.Minute)
	if g.asked != asked || g.Reviewed(Version(own)) != nil {
		t.Errorf("it asks of a contract that contradicts itself: %+v", g.Reviewed(Version(own)))
	}
}

func TestAsReview(t *testing.T) {
	devs := rbac.Of(rbacv1.Subject{Kind: rbacv1.GroupKind, Name: "devs"}, "")
	got := asReview(verify.Review{As: devs, Namespace: "n", Request: rbac.Request{Verb: "create", Resource: "pods/exec", Name: "one"}}).Spec
	if a := got.ResourceAttributes; got.User == "" || got.Groups[0] != "devs" || a.Namespace != "n" || a.Resource != "pods" || a.Subresource != "exec" || a.Name != "one" || a.Verb != "create" {
		t.Errorf("%+v", got)
	}
	got = asReview(verify.Review{As: devs, Request: rbac.Request{Verb: "get", Path: "/metrics"}}).Spec
	if a := got.NonResourceAttributes; got.ResourceAttributes != nil || a.Path != "/metrics" || a.Verb != "get" {
		t.Errorf("%+v", got)
	}
}
