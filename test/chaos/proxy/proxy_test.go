package proxy

import (
	"bufio"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// server is an API server of one ConfigMap, which counts what is done to it.
type server struct {
	*httptest.Server
	done atomic.Int32
	// token that came with the last request.
	token atomic.Value
}

const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n"}}`

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.token.Store(r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			watched(w, r)
			return
		}
		s.done.Add(1)
		fmt.Fprint(w, object)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// watched sends events until the client goes.
func watched(w http.ResponseWriter, r *http.Request) {
	for range 1000 {
		fmt.Fprintf(w, `{"type":"MODIFIED","object":%s}`+"\n", object)
		if http.NewResponseController(w).Flush() != nil || r.Context().Err() != nil {
			return
		}
	}
	<-r.Context().Done()
}

// through starts a proxy in front of a server, and gives a client that goes through it.
func through(t *testing.T, s *server, rates map[Fault]float64) (*Proxy, *rest.Config) {
	t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	p, err := Start(s.URL, ca, Plan{Seed: 7, Rates: rates, Longest: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, &rest.Config{Host: p.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: p.CA()}, BearerToken: "secret", QPS: -1}
}

func TestNothingFailsWhileNoFaultsAreAskedFor(t *testing.T) {
	s := newServer(t)
	p, config := through(t, s, map[Fault]float64{Conflict: 1, Hang: 1})
	c := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("n")
	for range 3 {
		got, err := c.Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil || got.Name != "a" {
			t.Fatalf("got %v: %v", got, err)
		}
		p.Begin()
		p.End()
	}
	if token := s.token.Load(); token != "Bearer secret" {
		t.Errorf("the server saw %q", token)
	}
}

// Each fault is what a client takes it for, and only the answer that is lost was done.
func TestWritesFail(t *testing.T) {
	for _, test := range []struct {
		fault Fault
		says  func(error) bool
		done  int32
	}{
		{Conflict, apierrors.IsConflict, 0},
		{Internal, apierrors.IsInternalError, 0},
		{Hang, broken, 0},
		{Lost, func(err error) bool { return broken(err) || apierrors.IsTimeout(err) }, 1},
	} {
		t.Run(string(test.fault), func(t *testing.T) {
			s := newServer(t)
			p, config := through(t, s, map[Fault]float64{test.fault: 1})
			p.Begin()
			c := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("n")
			_, err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
			if err == nil || !test.says(err) {
				t.Errorf("the client got %v", err)
			}
			if got := s.done.Load(); got != test.done {
				t.Errorf("it was done %d times, want %d", got, test.done)
			}
			if seen := p.Seen(); seen.Faults[test.fault] != 1 || seen.Requests != 1 {
				t.Errorf("counted %+v", seen)
			}
		})
	}
}

// broken is an error of the connection and not an answer.
func broken(err error) bool {
	return err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown
}

func TestThrottleNamesWhenToComeAgain(t *testing.T) {
	s := newServer(t)
	p, config := through(t, s, map[Fault]float64{Throttle: 1})
	p.Begin()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Get(p.URL() + "/api/v1/namespaces/n/configmaps/a")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("got %s, Retry-After %q", answer.Status, answer.Header.Get("Retry-After"))
	}
}

// What hangs ends with the faults, however long it would have lasted.
func TestEndFreesWhatHangs(t *testing.T) {
	s := newServer(t)
	p, config := through(t, s, map[Fault]float64{Hang: 1})
	p.plan.Longest = time.Hour
	p.Begin()
	c := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("n")
	failed := make(chan error, 1)
	go func() {
		_, err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		failed <- err
	}()
	for p.Seen().Faults[Hang] == 0 {
		if t.Context().Err() != nil {
			t.Fatal("no request came")
		}
	}
	p.End()
	if err := <-failed; !broken(err) {
		t.Errorf("the client got %v", err)
	}
}

func TestWatchIsHeldAndCut(t *testing.T) {
	for fault, whole := range map[Fault]bool{Held: true, Cut: false} {
		t.Run(string(fault), func(t *testing.T) {
			s := newServer(t)
			p, config := through(t, s, map[Fault]float64{fault: 0.2})
			p.Begin()
			client, err := rest.HTTPClientFor(config)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := client.Get(p.URL() + "/api/v1/configmaps?watch=1")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			got := 0
			for lines := bufio.NewReader(answer.Body); got < 1000; got++ {
				if _, err := lines.ReadString('\n'); err != nil {
					break
				}
			}
			if (got == 1000) != whole {
				t.Errorf("%d of 1000 events came", got)
			}
			if seen := p.Seen(); seen.Faults[fault] == 0 || seen.Batches == 0 {
				t.Errorf("counted %+v", seen)
			}
		})
	}
}

// What befalls a request follows from the seed, the kind of request and its number: not from what else happens.
func TestPlanFollowsFromItsSeed(t *testing.T) {
	rates := map[Fault]float64{Conflict: 0.1, Throttle: 0.1, Internal: 0.1, Hang: 0.1, Lost: 0.1}
	draws := func(seed uint64, kinds ...string) map[string][]draw {
		p, out := Plan{Seed: seed, Rates: rates, Longest: time.Second}, map[string][]draw{}
		for _, kind := range kinds {
			for n := range 200 {
				out[kind] = append(out[kind], p.of(kind, n, writeFaults))
			}
		}
		return out
	}
	first := draws(1, "POST /a", "PATCH /b")
	if diff := cmp.Diff(first, draws(1, "PATCH /b", "POST /a"), cmp.AllowUnexported(draw{})); diff != "" {
		t.Errorf("the order of requests changed what befalls them:\n%s", diff)
	}
	if cmp.Equal(first, draws(2, "POST /a", "PATCH /b"), cmp.AllowUnexported(draw{})) {
		t.Error("another seed brings the same faults")
	}
	count := map[Fault]int{}
	for _, d := range first["POST /a"] {
		count[d.fault]++
	}
	if want := slices.Sorted(slices.Values(append(slices.Clone(writeFaults), ""))); !slices.Equal(slices.Sorted(maps.Keys(count)), want) || count[""] < 60 || count[""] > 140 {
		t.Errorf("of 200 requests: %v", count)
	}
}

// An API server that is not there gives no answer.
func TestNoServerNoAnswer(t *testing.T) {
	s := newServer(t)
	_, config := through(t, s, nil)
	s.Close()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Get(config.Host + "/api")
	if err == nil {
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		t.Errorf("got %s: %s", answer.Status, strings.TrimSpace(string(text)))
	}
}
