package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/testenv"
)

const hold = "test.example/hold"

// unkept is a claim that no operator looks at yet.
func unkept(t *testing.T, name string, finalizers ...string) *v1alpha1.ServiceClaim {
	t.Helper()
	c := &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: finalizers},
		Spec: v1alpha1.ServiceClaimSpec{Team: "unkept", Image: "nginx:1.27-alpine"}}
	if err := env.Client.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func newClient(t *testing.T) client.WithWatch {
	t.Helper()
	scheme, err := factory.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What is written goes to the object that was looked at, or nowhere.
func TestOnlyWhatWasLookedAt(t *testing.T) {
	c := newClient(t)
	annotate := func(o *v1alpha1.ServiceClaim) error {
		return takedown.Annotate(t.Context(), c, target.Claim, o, v1alpha1.AnnotationRelease, "why")
	}
	looked := unkept(t, "looked-at")
	status := looked.DeepCopy()
	status.Status.Application = "unkept.looked-at"
	if err := c.Status().Update(t.Context(), status); err != nil {
		t.Fatal(err)
	}
	if err := annotate(looked.DeepCopy()); err != nil {
		t.Errorf("its status moved on: %v", err)
	}

	changed := looked.DeepCopy()
	if err := c.Patch(t.Context(), changed, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"image":"nginx:2"}}`))); err != nil {
		t.Fatal(err)
	}
	if err := annotate(looked.DeepCopy()); exit.Code(err) != exit.No || !strings.Contains(err.Error(), "claim looked-at was changed meanwhile") {
		t.Errorf("its spec was changed: %v", err)
	}

	if err := c.Delete(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	again := unkept(t, "looked-at")
	if err := annotate(looked.DeepCopy()); exit.Code(err) != exit.No || !strings.Contains(err.Error(), "claim looked-at was made anew meanwhile") {
		t.Errorf("it was made anew: %v", err)
	}
	if err := takedown.Delete(t.Context(), c, target.Claim, looked.DeepCopy(), false); exit.Code(err) != exit.No {
		t.Errorf("it was made anew and the deletion ends with %v", err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(again), again); err != nil || again.DeletionTimestamp != nil || len(again.Annotations) > 0 {
		t.Errorf("the new one was touched: %v %+v", err, again.ObjectMeta)
	}
}

// Each change of the words is printed once, cleaned, until the object is gone.
func TestFollow(t *testing.T) {
	c := newClient(t)
	o := unkept(t, "followed", hold)
	if err := c.Delete(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var out lockedBuffer
	done := make(chan error, 1)
	follower := takedown.Follower{IO: factory.IO{Out: &out}, Clock: clock.RealClock{}, Client: c, Program: "demarc", Kind: target.Claim, Timeout: 90 * time.Second}
	go func() { done <- follower.Gone(context.WithoutCancel(t.Context()), o.Name, o.UID) }()
	for _, message := range []string{"one thing", "one thing", "another\x1b[2J thing"} {
		drained(t, c, o.Name, message)
		words := strings.ReplaceAll(message, "\x1b", "")
		testenv.EventuallyWithin(t, 60*time.Second, func() error { return out.has("Waiting: " + words) })
	}
	if err := c.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "\n") != 3 || !strings.HasSuffix(text, "  gone\n") {
		t.Errorf("it printed %q", text)
	}
}

// A name that is another's is gone; time that is up, and an interrupt, leave the deletion going.
func TestFollowEnds(t *testing.T) {
	c := newClient(t)
	o := unkept(t, "held", hold)
	var out bytes.Buffer
	follower := takedown.Follower{IO: factory.IO{Out: &out}, Clock: clock.RealClock{}, Client: c, Program: "demarc", Kind: target.Claim, Timeout: 90 * time.Second}
	if err := follower.Gone(t.Context(), o.Name, "another"); err != nil {
		t.Errorf("the name is another's: %v", err)
	}
	follower.Timeout = time.Millisecond
	if err := follower.Gone(t.Context(), o.Name, o.UID); exit.Code(err) != exit.No || !strings.Contains(err.Error(), "still there after 1ms; the deletion goes on: ") {
		t.Errorf("time is up: %v", err)
	}
	follower.Timeout = 2 * time.Second
	if err := follower.Gone(t.Context(), o.Name, o.UID); exit.Code(err) != exit.No || !strings.Contains(err.Error(), "goes on: it is held by "+hold+" of the controller of test.example") {
		t.Errorf("a stranger holds it: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := follower.Gone(ctx, o.Name, o.UID); exit.Code(err) != exit.Unknown || !strings.Contains(err.Error(), "interrupted; the deletion goes on") {
		t.Errorf("interrupted: %v", err)
	}
}

// With the operator stopped nothing is said of a deletion: that itself is told, and
// where to look.
func TestFollowWithoutOperator(t *testing.T) {
	c := newClient(t)
	o := unkept(t, "unsaid", v1alpha1.FinalizerClaim)
	if err := c.Delete(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var out lockedBuffer
	follower := takedown.Follower{IO: factory.IO{Out: &out}, Clock: clock.RealClock{}, Client: c, Program: "demarc", Kind: target.Claim, Timeout: 15 * time.Second}
	err := follower.Gone(t.Context(), o.Name, o.UID)
	for _, want := range []string{"claim unsaid is still there after 15s; the deletion goes on: it does not move: Demarc's operator has said nothing of its deletion",
		"Next: see whether Demarc's operator runs: kubectl -n demarc-system get deployment,pod,lease; demarc explain delete claim/unsaid says what holds it"} {
		if exit.Code(err) != exit.No || !strings.Contains(err.Error(), want) {
			t.Errorf("it ends with %v, want %q", err, want)
		}
	}
	if strings.Count(out.String(), "it does not move") != 1 {
		t.Errorf("while it waited it printed %q", out.String())
	}
}

func drained(t *testing.T, c client.Client, name, message string) {
	t.Helper()
	testenv.Eventually(t, func() error {
		o := &v1alpha1.ServiceClaim{}
		if err := c.Get(t.Context(), types.NamespacedName{Name: name}, o); err != nil {
			return err
		}
		o.Status.Conditions = []metav1.Condition{{Type: "Drained", Status: metav1.ConditionFalse, Reason: "Waiting", Message: message, LastTransitionTime: metav1.Now()}}
		return c.Status().Update(t.Context(), o)
	})
}
