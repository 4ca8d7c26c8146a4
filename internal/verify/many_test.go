package verify_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/verify"
)

// tenantsOf so many teams: each has three roles, and one group is on call for all.
func tenantsOf(n int) (tenants []*v1alpha1.Tenant) {
	for i := range n {
		name := fmt.Sprintf("t%04d", i)
		t := team(name, group(name+"-viewers", "view"), group("on-call", "operate"), group(name+"-devs", "edit"))
		t.UID = types.UID("uid-of-" + name)
		t.Spec.Resources = &v1alpha1.Budget{CPU: ptr.To(intstr.FromString("4")), Pods: ptr.To(int64(20))}
		tenants = append(tenants, t)
	}
	return tenants
}

// many is a cluster with so many teams beside those of the fresh one, all as it should be.
func many(tb testing.TB, n int) *snapshot.Set {
	tb.Helper()
	set := fresh(tb)
	settings := settingsOf(tb, set)
	for _, t := range tenantsOf(n) {
		add(tb, set, "Tenant", t)
		space, err := render.Tenant(t, settings)
		if err != nil {
			tb.Fatal(err)
		}
		set.Add(space.All()...)
	}
	return set
}

func settingsOf(tb testing.TB, set *snapshot.Set) render.Settings {
	tb.Helper()
	platform, err := snapshot.Into[v1alpha1.Platform](set.Get(ours("Platform"), "", "default"))
	if err != nil {
		tb.Fatal(err)
	}
	s := render.SettingsOf(platform)
	s.Impersonation = true
	return s
}

// With many teams the same is found as with few.
func TestManyTeams(t *testing.T) {
	set := many(t, 400)
	report := verify.Check(set, verify.Question{})
	if said := told(report, finding.Finding.Counts); said != "" || report.Differ > 0 || report.Cells < 1_000_000 {
		t.Errorf("of %d cells %d differ:\n%s", report.Cells, report.Differ, said)
	}
	bind(t, set, "team-t0123", "stray", "edit", "t0321-devs", rbac.Authenticated)
	found := map[string]int{}
	for _, f := range verify.Check(set, verify.Question{}).Findings {
		if f.Counts() {
			found[f.ID+" "+f.Object.String()]++
		}
	}
	if n := found["OC006 RoleBinding/stray in team-t0123"]; n != 2 || found["OC002 RoleBinding/stray in team-t0123"] != 2 || len(found) != 2 {
		t.Errorf("of a stray binding it finds %v", found)
	}
}

// The questions of a round are few, and what is held for them grows with the teams, and not
// with what they could be asked: the operator has room for some hundred MiB.
func TestReviewsHoldLittle(t *testing.T) {
	const teams, most = 1000, 12_000
	a := agreed(tenantsOf(teams)...)
	before := heap()
	r := verify.NewReviews(a)
	round := r.Round(verify.Cursor{}, 5000)
	held := heap() - before
	if per := held / teams; per > most {
		t.Errorf("%d bytes are held for each team, want at most %d", per, most)
	}
	if n := len(round.All()); n != 5000 || r.Cells() < 2_000_000 {
		t.Errorf("a round asks %d of %d", n, r.Cells())
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

const benched = 5000

// BenchmarkCheck compares a cluster with the contract. The floor is what cannot be left out:
// to render what should be, once, and to read what is.
func BenchmarkCheck(b *testing.B) {
	set := many(b, benched)
	settings := settingsOf(b, set)
	against(b, func() any {
		for _, o := range set.Of(ours("Tenant")) {
			t, err := snapshot.Into[v1alpha1.Tenant](o)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := render.Tenant(t, settings); err != nil {
				b.Fatal(err)
			}
		}
		return world(b, set)
	}, func() any { return verify.Check(set, verify.Question{}) })
}

// BenchmarkReviews makes the questions of a round. The floor is to render the teams' bindings
// once.
func BenchmarkReviews(b *testing.B) {
	tenants := tenantsOf(benched)
	live := &rbac.World{}
	for _, t := range tenants {
		for _, o := range render.Access(t) {
			if o.GetKind() == "RoleBinding" {
				live.AddRoleBinding(into[rbacv1.RoleBinding](b, o))
			} else {
				live.AddClusterRoleBinding(into[rbacv1.ClusterRoleBinding](b, o))
			}
		}
	}
	live.Index()
	against(b, func() any {
		var all []render.Object
		for _, t := range tenants {
			all = append(all, render.Access(t)...)
		}
		return len(all)
	}, func() any {
		r := verify.NewReviews(verify.Agreed{Contract: contract.Default(), Tenants: tenants, Live: live, At: began})
		return []any{r, r.Round(verify.Cursor{}, 5000)}
	})
}

// against measures what is done against a floor in the same run, and what is held after it.
func against(b *testing.B, floor, done func() any) {
	b.Helper()
	b.ReportAllocs()
	var least, took time.Duration
	for b.Loop() {
		b.StopTimer()
		start := time.Now()
		floor()
		least += time.Since(start)
		b.StartTimer()
		start = time.Now()
		done()
		took += time.Since(start)
	}
	before := heap()
	result := done()
	b.ReportMetric(float64(heap()-before)/(1<<20), "MiB-held")
	runtime.KeepAlive(floor) // what both are given is held before and after
	b.ReportMetric(least.Seconds()/float64(b.N), "floor-s/op")
	b.ReportMetric(took.Seconds()/least.Seconds(), "times-floor")
	runtime.KeepAlive(result)
}

func into[T any](tb testing.TB, o render.Object) *T {
	tb.Helper()
	out, err := snapshot.Into[T](o)
	must(tb, err)
	return out
}
