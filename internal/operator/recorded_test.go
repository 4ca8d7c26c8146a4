package operator_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"demarc.dev/demarc/internal/testenv"
)

// recorded are the writes of one operator: what it asks of the API server that is no read. Events, dry runs and
// questions change no object and are left out.
type recorded struct {
	mu    sync.Mutex
	list  []string
	last  time.Time
	began time.Time
}

// env is a server of a test's, to run an operator on that is recorded.
func (r *recorded) env(of *testenv.Env) *testenv.Env {
	r.began = time.Now()
	config := rest.CopyConfig(of.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil {
				r.note(req, resp.StatusCode)
			}
			return resp, err
		})
	})
	return &testenv.Env{Config: config, Client: of.Client}
}

func (r *recorded) note(req *http.Request, status int) {
	if req.Method == http.MethodGet || req.URL.Query().Get("dryRun") != "" || strings.Contains(req.URL.Path, "/events") || strings.HasSuffix(req.URL.Path, "reviews") {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, fmt.Sprintf("%s %s %d", req.Method, req.URL.Path, status))
	r.last = time.Now()
}

func (r *recorded) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.list...)
}

// quiet waits until nothing was written for a while.
func (r *recorded) quiet(t *testing.T, long time.Duration) {
	t.Helper()
	testenv.EventuallyWithin(t, 2*time.Minute, func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		since := r.began
		if len(r.list) > 0 {
			since = r.last
		}
		if time.Since(since) < long {
			return fmt.Errorf("it wrote %d times; last: %v", len(r.list), r.list[max(0, len(r.list)-8):])
		}
		return nil
	})
}
