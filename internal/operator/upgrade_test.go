package operator_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/testenv"
)

const firstRelease = "testdata/first-release"

// expectedWrite is a write that an upgrade may do, and why it must.
type expectedWrite struct{ Write, Why string }

// An operator of today that starts on what the first release left writes nothing that did not have to change; the
// writes that had to are listed with their reasons. What a team runs is not touched. See testdata/README.md.
func TestUpgradeFromTheFirstRelease(t *testing.T) {
	old, err := testenv.Start(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = old.Stop() })
	objects, err := testenv.Objects(firstRelease)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Restore(t.Context(), objects...); err != nil {
		t.Fatal(err)
	}
	before := liveAll(t, old, objects)

	var first recorded
	looked := reconciles(t)
	stop := first.env(old).Operator(t, clock.RealClock{})
	awaitLooked(t, looked, objects)
	first.quiet(t, 5*time.Second)
	stop()
	compareWrites(t, first.all())
	after := liveAll(t, old, objects)
	for name, o := range before {
		if kind, _, _ := strings.Cut(name, "/"); !slices.Contains([]string{"Application", "Deployment", "Pod", "ServiceClaim", "Tenant", "Namespace"}, kind) {
			continue // seen by its write
		}
		if diff := cmp.Diff(o, after[name]); diff != "" {
			t.Errorf("%s is the team's and was changed (-before +after):\n%s", name, diff)
		}
	}

	var second recorded
	looked = reconciles(t)
	second.env(old).Operator(t, clock.RealClock{})
	awaitLooked(t, looked, objects)
	second.quiet(t, 5*time.Second)
	if again := second.all(); len(again) > 0 {
		t.Errorf("a second start wrote again: %v", again)
	}
}

// liveAll reads the objects as they are now.
func liveAll(t *testing.T, e *testenv.Env, objects []*unstructured.Unstructured) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, o := range objects {
		live := kube.Named(o.GroupVersionKind(), o.GetNamespace(), o.GetName())
		if err := e.Client.Get(context.Background(), client.ObjectKeyFromObject(live), live); err != nil {
			t.Fatal(err)
		}
		if live.GetUID() != o.GetUID() {
			t.Fatalf("%s was not restored: its UID is %s, not %s", kube.Name(o), live.GetUID(), o.GetUID())
		}
		out[o.GetKind()+"/"+o.GetNamespace()+"/"+o.GetName()] = live.Object
	}
	return out
}

// awaitLooked waits until each controller has looked at all of its objects.
func awaitLooked(t *testing.T, before map[string]float64, objects []*unstructured.Unstructured) {
	t.Helper()
	want := map[string]float64{}
	for _, o := range objects {
		switch o.GetKind() {
		case "Tenant", "ServiceClaim", "Platform":
			want[strings.ToLower(o.GetKind())]++
		}
	}
	testenv.EventuallyWithin(t, time.Minute, func() error {
		now := reconciles(t)
		for controller, n := range want {
			if now[controller] < before[controller]+n {
				return notYet(controller)
			}
		}
		return nil
	})
}

type notYet string

func (c notYet) Error() string { return string(c) + " has not looked at everything yet" }

// compareWrites wants exactly the writes that are listed.
func compareWrites(t *testing.T, wrote []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/first-release-writes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var expected []expectedWrite
	if err := yaml.UnmarshalStrict(text, &expected); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, e := range expected {
		if e.Why == "" {
			t.Errorf("%s has no reason", e.Write)
		}
		want = append(want, e.Write)
	}
	slices.Sort(want)
	slices.Sort(wrote)
	if diff := cmp.Diff(want, wrote); diff != "" {
		t.Errorf("an upgrade writes other than testdata/first-release-writes.yaml lists (-listed +written); "+
			"if a write has to be, list it with its reason:\n%s", diff)
	}
}
