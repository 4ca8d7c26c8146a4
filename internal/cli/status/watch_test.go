package status

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/status"
)

// rolling is a Deployment of which nothing is updated yet.
func rolling() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "api", Generation: 1},
		Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](2), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "api", Image: "a"}}}}}}
}

// stages that a Deployment goes through, one each time that it is looked at.
type stages struct {
	client.WithWatch
	mu    sync.Mutex
	looks int
	list  []appsv1.DeploymentStatus
}

func (s *stages) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if list.GetObjectKind().GroupVersionKind().Kind == "DeploymentList" {
		s.mu.Lock()
		d := rolling()
		d.Status = s.list[min(s.looks, len(s.list)-1)]
		s.looks++
		s.mu.Unlock()
		live := &appsv1.Deployment{}
		if err := s.Get(ctx, client.ObjectKeyFromObject(d), live); err != nil {
			return err
		}
		live.Status = d.Status
		if err := s.Status().Update(ctx, live); err != nil {
			return err
		}
	}
	return s.WithWatch.List(ctx, list, opts...)
}

func follow(t *testing.T, io factory.IO, timeout time.Duration, list ...appsv1.DeploymentStatus) (string, error) {
	t.Helper()
	scheme, err := factory.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithRESTMapper(testrestmapper.TestOnlyStaticRESTMapper(scheme)).
		WithObjects(rolling()).WithStatusSubresource(&appsv1.Deployment{}).Build()
	var out bytes.Buffer
	io.Out = &out
	o := &Options{IO: io, Program: "demarc", Clock: clock.RealClock{}, Arg: "api", Namespace: "shop", Watch: true, Timeout: timeout, Every: time.Millisecond,
		Question:  status.Question{Namespace: "shop", Workload: "api"},
		Config:    func() (*rest.Config, error) { return &rest.Config{Host: "http://127.0.0.1:1"}, nil },
		Client:    func() (client.WithWatch, error) { return &stages{WithWatch: c, list: list}, nil },
		Discovery: func() (discovery.DiscoveryInterface, error) { return nil, nil }}
	err = run(t.Context(), o)
	return out.String(), err
}

var (
	begun = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 1, AvailableReplicas: 1}
	done  = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 2}
	stuck = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}}}
)

// A line for each change, whatever number of looks it takes, and the end of it.
func TestWatchToTheEnd(t *testing.T) {
	out, err := follow(t, factory.IO{}, 0, appsv1.DeploymentStatus{}, begun, begun, begun, done)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for line := range strings.Lines(out) {
		_, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		said = append(said, strings.TrimSpace(words))
	}
	want := []string{"begins: its controller has not seen the last change yet", "progressing: 1 of 2 pods updated, 1 available", "done: 2 of 2 pods updated, 2 available", "is rolled out"}
	if strings.Join(said, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", said, want)
	}
}

// What fails for good ends it, with all that there is to say of it.
func TestWatchFails(t *testing.T) {
	out, err := follow(t, factory.IO{}, 0, begun, stuck)
	if exit.Code(err) != exit.No || !strings.Contains(exit.Text(err), "api failed for good: stuck: it made no progress within 600s") {
		t.Errorf("it ends with %v", err)
	}
	if !strings.Contains(out, "deployment/api in shop: in trouble") || strings.Contains(out, wipe) {
		t.Errorf("it says %s", out)
	}
}

// A terminal is drawn anew at each change, and not between.
func TestWatchOnATerminal(t *testing.T) {
	out, err := follow(t, factory.IO{OutTerminal: true, Width: 100}, 0, begun, begun, begun, begun, done)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out, wipe); n != 2 || !strings.HasPrefix(out, wipe+"deployment/api in shop") || !strings.HasSuffix(out, "api is rolled out\n") {
		t.Errorf("it is drawn %d times: %q", n, out)
	}
}

func TestWatchForSomeTime(t *testing.T) {
	_, err := follow(t, factory.IO{}, 300*time.Millisecond, begun)
	if exit.Code(err) != exit.No || !strings.Contains(exit.Text(err), "the time ") {
		t.Errorf("it ends with %v", err)
	}
}
