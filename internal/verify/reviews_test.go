package verify_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/verify"
)

// team is a Tenant whose access stands.
func team(name string, access ...v1alpha1.TenantAccess) *v1alpha1.Tenant {
	t := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}, Spec: v1alpha1.TenantSpec{Access: access}}
	t.Status.Conditions = []metav1.Condition{{Type: "AccessReady", Status: metav1.ConditionTrue, ObservedGeneration: 1}}
	return t
}

func group(name, role string) v1alpha1.TenantAccess {
	return v1alpha1.TenantAccess{Group: name, Role: role}
}

func agreed(tenants ...*v1alpha1.Tenant) verify.Agreed {
	return verify.Agreed{Contract: contract.Default(), Tenants: tenants, At: began}
}

// cell finds the answer that the contract gives to a question.
func cell(r *verify.Reviews, who, namespace, verb, resource string) (allowed, asked bool) {
	for _, q := range r.Round(verify.Cursor{}, 1_000_000).All() {
		if strings.Contains(q.Who, who) && q.Namespace == namespace && q.Request.Verb == verb && q.Request.Resource == resource {
			return q.Allowed, true
		}
	}
	return false, false
}

func wantCell(t *testing.T, r *verify.Reviews, who, namespace, verb, resource, want string) {
	t.Helper()
	got := "not asked"
	if allowed, asked := cell(r, who, namespace, verb, resource); asked {
		got = map[bool]string{true: "yes", false: "no"}[allowed]
	}
	if got != want {
		t.Errorf("%s: %s %s in %q: %s, want %s", who, verb, resource, namespace, got, want)
	}
}

func TestReviewsOfRoles(t *testing.T) {
	r := verify.NewReviews(agreed(team("payments", group("viewers", "view"), group("devs", "edit")), team("shop")))
	for _, c := range []struct{ who, namespace, verb, resource, want string }{
		{"group devs", "team-payments", "get", "secrets", "yes"},
		{"group viewers", "team-payments", "get", "secrets", "no"},
		{"group viewers", "team-payments", "get", "pods/log", "yes"},
		{"group devs", "team-shop", "get", "secrets", "no"},
		{"group team-shop", "team-shop", "get", "secrets", "yes"},
		{"group team-shop", "team-payments", "create", "pods/exec", "no"},
		{"group devs", "", "get", "secrets", "no"},
		{"group devs", "", "create", "validatingwebhookconfigurations", "no"},
		{"group devs", "", "get", "serviceclaims", "yes"},
		{"Git of team shop", "team-shop", "create", "deployments", "yes"},
		{"Git of team shop", "team-shop", "get", "pods/log", "not asked"}, // its team may give it that
		{"Git of team shop", "team-payments", "create", "deployments", "no"},
		{"CI without a Tenant", "team-payments", "get", "pods", "no"},
		{"anonymous", "", "list", "secrets", "no"},
	} {
		wantCell(t, r, c.who, c.namespace, c.verb, c.resource, c.want)
	}
}

// Who is in several parties has what all of them have, and is asked once.
func TestReviewsOfSharedGroups(t *testing.T) {
	a := agreed(team("payments", group("both", "view"), group("both", "edit"), group("all", "view")), team("shop", group("both", "view"), group("all", "edit")))
	a.Platform = &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.PlatformSpec{Team: v1alpha1.PlatformTeam{Groups: []string{"all"}}}}
	r := verify.NewReviews(a)
	for _, c := range []struct{ who, namespace, verb, resource, want string }{
		{"group both", "team-payments", "get", "secrets", "yes"},
		{"group both", "team-shop", "get", "secrets", "no"},
		{"group both", "team-shop", "get", "pods", "yes"},
		{"group all", "team-shop", "get", "secrets", "yes"},
		{"group all", "team-payments", "get", "secrets", "no"},
		{"group all", "", "get", "nodes", "yes"}, // as the platform
	} {
		wantCell(t, r, c.who, c.namespace, c.verb, c.resource, c.want)
	}
	seen := map[string]bool{}
	for _, q := range r.Round(verify.Cursor{}, 1_000_000).All() {
		if seen[q.Key()] {
			t.Fatalf("asked twice: %s", q)
		}
		seen[q.Key()] = true
	}
}

// What is on its way in or out is no finding, and no reason to miss one.
func TestReviewsOfTheUnsettled(t *testing.T) {
	going, fresh, changed := team("going", group("shared", "edit")), team("fresh"), team("changed", group("new", "edit"))
	going.DeletionTimestamp = &metav1.Time{Time: began}
	fresh.Status.Conditions = nil
	changed.Generation = 2
	r := verify.NewReviews(agreed(going, fresh, changed, team("payments", group("shared", "view"))))
	for _, c := range []struct{ who, namespace, verb, resource, want string }{
		{"group team-fresh", "team-fresh", "get", "secrets", "not asked"},
		{"group team-fresh", "team-fresh", "escalate", "roles", "no"},
		{"group new", "team-changed", "get", "secrets", "not asked"},
		{"group new", "team-changed", "list", "nodes", "not asked"}, // a kind without a namespace
		{"group new", "", "list", "nodes", "no"},
		{"group shared", "team-payments", "get", "secrets", "no"},
		{"group shared", "", "get", "tenants", "yes"}, // by the one that stays
		{"group shared", "", "create", "serviceclaims", "not asked"},
	} {
		wantCell(t, r, c.who, c.namespace, c.verb, c.resource, c.want)
	}
}

// A grant that is in force is expected, and around its end nothing is.
func TestReviewsOfGrants(t *testing.T) {
	g := &v1alpha1.AccessGrant{ObjectMeta: metav1.ObjectMeta{Name: "night"}, Spec: v1alpha1.AccessGrantSpec{
		Team: "payments", Group: "shoppers", Role: "edit", RequestedBy: "kim", Approval: &v1alpha1.Approval{By: "lee"}}}
	g.Status.Life = life
	g.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue}}
	payments := team("payments")
	payments.UID = "uid-of-tenant-payments"
	for after, want := range map[time.Duration]string{time.Hour: "yes", 119 * time.Minute: "not asked", 121 * time.Minute: "not asked", 3 * time.Hour: "no"} {
		a := agreed(payments, team("shop", group("shoppers", "view")))
		a.Grants, a.At = []*v1alpha1.AccessGrant{g}, began.Add(after)
		wantCell(t, verify.NewReviews(a), "group shoppers", "team-payments", "get", "secrets", want)
	}
}

// Whom the contract trusts is not asked whether it may do more.
func TestReviewsOfTheTrusted(t *testing.T) {
	spec := contract.Default().Spec.DeepCopy()
	spec.Trusted = append(spec.Trusted, v1alpha1.ContractTrusted{Group: "wide", Reason: "a test"})
	a := agreed(team("payments", group("wide", "view")))
	a.Contract = contract.New(*spec)
	r := verify.NewReviews(a)
	wantCell(t, r, "group wide", "team-payments", "get", "pods", "yes")
	wantCell(t, r, "group wide", "team-payments", "get", "secrets", "not asked")
	wantCell(t, r, "group wide", "", "escalate", "clusterroles", "not asked")
}

// What a stray binding means is asked first, wherever it is.
func TestReviewsBeginWithSuspects(t *testing.T) {
	var tenants []*v1alpha1.Tenant
	for i := range 30 {
		tenants = append(tenants, team(fmt.Sprintf("t%02d", i)))
	}
	a := agreed(tenants...)
	bind := func(namespace, name, group string) *rbac.Binding {
		return &rbac.Binding{Namespace: namespace, Name: name, Role: rbacv1.RoleRef{Kind: "ClusterRole", Name: "admin"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.GroupKind, Name: group}}}
	}
	a.Live = &rbac.World{Bindings: []*rbac.Binding{bind("team-t20", "stray", "team-t03"), bind("", "wide", "team-t07"), bind("elsewhere", "theirs", "team-t09"),
		bind("team-t05", "demarc-edit", "team-t06")}}
	a.Live.Index()
	where := map[string]bool{}
	for _, q := range verify.NewReviews(a).Round(verify.Cursor{}, 5000).Asked[0] {
		where[strings.Join(q.As.Groups[:1], "")+" in "+q.Namespace] = true
	}
	for _, want := range []string{"team-t03 in team-t20", "team-t07 in ", "team-t07 in team-t08", "team-t06 in team-t05"} {
		if !where[want] {
			t.Errorf("not asked first: %s", want)
		}
		delete(where, want)
	}
	if len(where) > 0 {
		t.Errorf("asked first without a reason: %v", where)
	}
}

// Every cell is asked within the rounds that are promised, however many teams there are
// and however few questions a round takes; those that are dangerous come before others.
func TestRoundsCoverAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tenants []*v1alpha1.Tenant
		for i := range rapid.IntRange(0, 6).Draw(t, "teams") {
			role := rapid.SampledFrom([]string{"view", "operate", "edit"})
			of := rapid.SampledFrom([]string{"a", "b", "c", "d"})
			tenants = append(tenants, team(fmt.Sprintf("t%d", i), group(of.Draw(t, "group"), role.Draw(t, "role")), group(of.Draw(t, "other"), role.Draw(t, "its"))))
		}
		r := verify.NewReviews(agreed(tenants...))
		most, left := rapid.IntRange(4, 2*r.Cells()).Draw(t, "most"), r.Cells()
		rounds, seen := r.Rounds(most), map[string]bool{}
		if quarter := most / 4; rounds > (left+quarter-1)/quarter || most >= left && rounds > 1 {
			t.Fatalf("%d cells take %d rounds of %d", left, rounds, most)
		}
		var cursor verify.Cursor
		for i := range rounds {
			round := r.Round(cursor, most)
			if n := len(round.All()); n > most || n == 0 {
				t.Fatalf("round %d asks %d of at most %d", i, n, most)
			}
			if i == 0 && len(round.Asked[1]) == 0 {
				t.Fatal("nothing dangerous in the first round")
			}
			for _, q := range round.All() {
				seen[q.Key()] = true
			}
			cursor = round.Next
		}
		if len(seen) != left {
			t.Fatalf("%d of %d cells were asked in %d rounds of %d", len(seen), left, rounds, most)
		}
	})
}

// A team that comes or goes does not make the rounds begin anew.
func TestRoundsGoOn(t *testing.T) {
	few, more := verify.NewReviews(agreed(team("a"), team("c"))), verify.NewReviews(agreed(team("a"), team("b"), team("c")))
	first := few.Round(verify.Cursor{}, 400)
	last := first.Asked[2][len(first.Asked[2])-1]
	next := more.Round(first.Next, 400).Asked[2][0]
	if next.Who != last.Who || next.Namespace != last.Namespace || next.Key() == last.Key() {
		t.Errorf("after %s comes %s", last, next)
	}
}

// A question that was asked is known again while it is one.
func TestReviewsAgain(t *testing.T) {
	was := verify.Review{As: rbac.Of(rbacv1.Subject{Kind: rbacv1.GroupKind, Name: "team-a"}, ""), Namespace: "team-a", Request: rbac.Request{Verb: "get", Resource: "secrets"}}
	if now, ok := verify.NewReviews(agreed(team("a"))).Again(was); !ok || !now.Allowed || now.Key() != was.Key() {
		t.Errorf("%s, %v", now, ok)
	}
	if now, ok := verify.NewReviews(agreed(team("a", group("team-a", "view")))).Again(was); !ok || now.Allowed {
		t.Errorf("with another role: %s, %v", now, ok)
	}
	if now, ok := verify.NewReviews(agreed(team("b"))).Again(was); ok {
		t.Errorf("of a team that is not there: %s", now)
	}
}

// The questions find what the offline check finds, cell by cell, but for a team's own accounts.
func TestReviewsAgreeWithTheOfflineCheck(t *testing.T) {
	if wrong := answered(t, fresh(t)); len(wrong) > 0 {
		t.Fatalf("on a fresh cluster %d cells differ: %v", len(wrong), wrong[:min(5, len(wrong))])
	}
	files, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	cases := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		must(t, err)
		offline := string(archive.Files[1].Data)
		differ := strings.Contains(offline, verify.More+" ") || strings.Contains(offline, verify.Less+" ")
		wrong := answered(t, tampered(t, archive.Files[0].Data))
		if differ != (len(wrong) > 0) {
			t.Errorf("%s: asked, %d cells differ: %v; offline:\n%s", file, len(wrong), wrong[:min(3, len(wrong))], offline)
		}
		if len(wrong) > 0 {
			cases++
		}
	}
	if cases < 20 {
		t.Errorf("the questions find only %d cases", cases)
	}
}

// answered are the questions that the RBAC of a set answers otherwise than the contract.
func answered(t *testing.T, set *snapshot.Set) (wrong []verify.Review) {
	t.Helper()
	live := world(t, set)
	a := agreed()
	a.Live, a.At = live, set.At
	for _, o := range set.Of(schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}) {
		tenant, err := snapshot.Into[v1alpha1.Tenant](o)
		must(t, err)
		tenant.Status = team(tenant.Name).Status
		tenant.Generation = 1
		a.Tenants = append(a.Tenants, tenant)
	}
	platform, err := snapshot.Into[v1alpha1.Platform](set.Get(schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}, "", "default"))
	must(t, err)
	a.Platform = platform
	grants := map[string]rbac.Grants{}
	for _, q := range verify.NewReviews(a).Round(verify.Cursor{}, 1_000_000).All() {
		key := fmt.Sprint(q.As, q.Namespace)
		if _, known := grants[key]; !known {
			grants[key] = live.For(q.As, q.Namespace)
		}
		if (grants[key].Allow(q.Request) != nil) != q.Allowed {
			wrong = append(wrong, q)
		}
	}
	return wrong
}

// world is the RBAC of a set.
func world(t testing.TB, set *snapshot.Set) *rbac.World {
	t.Helper()
	live := &rbac.World{}
	for _, b := range decodedOf[rbacv1.ClusterRoleBinding](t, set, "ClusterRoleBinding") {
		live.AddClusterRoleBinding(b)
	}
	for _, b := range decodedOf[rbacv1.RoleBinding](t, set, "RoleBinding") {
		live.AddRoleBinding(b)
	}
	for _, r := range decodedOf[rbacv1.ClusterRole](t, set, "ClusterRole") {
		live.ClusterRoles = append(live.ClusterRoles, *r)
	}
	for _, r := range decodedOf[rbacv1.Role](t, set, "Role") {
		live.Roles = append(live.Roles, *r)
	}
	live.Index()
	return live
}

func decodedOf[T any](t testing.TB, set *snapshot.Set, kind string) (all []*T) {
	t.Helper()
	for _, o := range set.Of(schema.GroupKind{Group: rbacv1.GroupName, Kind: kind}) {
		into, err := snapshot.Into[T](o)
		must(t, err)
		all = append(all, into)
	}
	return all
}
