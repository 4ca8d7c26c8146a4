package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// A story and its faults follow from the seed alone.
func TestStoryFollowsFromItsSeed(t *testing.T) {
	tell := func(seed uint64) (story, world) {
		s, w := newStory(seed, "t", 50, time.Minute), world{}
		w.tell(s)
		return s, w
	}
	first, w := tell(1)
	again, _ := tell(1)
	if diff := cmp.Diff(first, again, cmp.AllowUnexported(story{}, lane{}, step{})); diff != "" {
		t.Error(diff)
	}
	other, _ := tell(2)
	if cmp.Equal(first, other, cmp.AllowUnexported(story{}, lane{}, step{})) {
		t.Error("another seed tells the same story")
	}
	moments := func(seed uint64) (out []time.Duration) {
		for _, row := range newStrikes(seed, time.Minute) {
			for _, s := range row {
				out = append(out, s.at)
			}
		}
		return out
	}
	if a, b := moments(1), moments(1); !cmp.Equal(a, b) || cmp.Equal(a, moments(2)) {
		t.Errorf("faults at %v, again at %v, of another seed at %v", a, b, moments(2))
	}
	if len(w.tenants()) == 0 || len(w.claims()) == 0 || len(w.strangers()) == 0 {
		t.Errorf("in the end there are %d Tenants, %d claims, %d strangers", len(w.tenants()), len(w.claims()), len(w.strangers()))
	}
}

// A story has all that the issue asks for, and ends in a way that does not hang on when things were done.
func TestStoryHasEverything(t *testing.T) {
	s := newStory(1, "t", 100, time.Minute)
	counts := s.counts()
	for _, what := range []string{
		"create Tenant", "change Tenant", "delete Tenant", "delete Tenant with claims", "re-create Tenant",
		"create claim", "change claim", "delete claim", "re-create claim", "put a stranger in the way", "take the stranger away",
	} {
		if counts[what] == 0 {
			t.Errorf("no step is to %q: %v", what, counts)
		}
	}
	for _, l := range s.lanes {
		last := time.Duration(0)
		for _, step := range l.steps {
			if step.at < last || step.at > time.Minute {
				t.Errorf("%s: step %q at %s, after one at %s", l.team, step.what, step.at, last)
			}
			last = step.at
		}
	}
}

func TestDifferencesAreNamed(t *testing.T) {
	s, w := newStory(1, "t", 10, time.Minute), world{}
	w.tell(s)
	settings := render.SettingsOf(nil)
	settings.Chart = &v1alpha1.PlatformChart{RepoURL: "https://git.example.org/platform.git"}
	want, err := expect(w, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := expect(w, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lines := differences(want, got); len(lines) > 0 {
		t.Errorf("of the same: %v", lines)
	}
	c := w.claims()[0]
	delete(got, keyOf(w.tenants()[0]))
	got[keyOf(c)]["spec"] = map[string]any{"team": "another"}
	got[key{deploymentKind, "x", "y"}] = nil
	if lines := differences(want, got); len(lines) != 3 {
		t.Errorf("three differences, named as %q", lines)
	}
}

// What is left of an owner that is gone is an orphan, and so is a team's namespace without its Tenant.
func TestOrphansAreNamed(t *testing.T) {
	binding := key{schema.GroupKind{Kind: "RoleBinding"}, "team-a", "demarc-edit"}
	left, taken := keyOf(strangeNamespace("gone")), keyOf(strangeNamespace("b"))
	s := &sight{
		state:  state{binding: nil, left: nil, taken: nil, {deploymentKind, "team-a", "web"}: nil, {deploymentKind, "team-a", "api"}: nil},
		owners: map[string]bool{"tenant.a": true, "serviceclaim.api": true},
		owned:  map[key]string{binding: "tenant.a", left: "tenant.gone"},
	}
	got := s.orphans(world{taken: strangeNamespace("b")})
	want := []string{
		"Deployment team-a/web has no claim", "Namespace team-gone belongs to tenant.gone, which is gone", "Namespace team-gone has no Tenant",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Access for nobody and access that is not spoken of are two things: a change from one to the other is made.
func TestDemandTellsEmptyFromAbsent(t *testing.T) {
	nobody := &v1alpha1.Tenant{Spec: v1alpha1.TenantSpec{Access: []v1alpha1.TenantAccess{}}}
	live := &v1alpha1.Tenant{}
	if !demand(live, nobody) || live.Spec.Access == nil {
		t.Error("access for nobody was not asked for")
	}
	if demand(live, nobody) {
		t.Error("the same is asked for again")
	}
	if !demand(live, &v1alpha1.Tenant{}) || live.Spec.Access != nil {
		t.Error("access for nobody was not taken back")
	}
}
