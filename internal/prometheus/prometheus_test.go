package prometheus

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"demarc.dev/demarc/internal/status"
)

const answer = `{"status":"success","data":{"resultType":"vector","result":[
{"metric":{"pod":"web-a","container":"web"},"value":[1772452800,"0.31"]},
{"metric":{"pod":"web-b","container":"web"},"value":[1772452800,"NaN"]}]}}`

// A Service of the cluster is asked through the API server, as who asks.
func TestThroughTheAPIServer(t *testing.T) {
	var path, query, token string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, query, token = r.URL.Path, r.FormValue("query"), r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	config := &rest.Config{Host: server.URL + "/k8s", BearerToken: "mine",
		TLSClientConfig: rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}}
	got, err := Throttled(t.Context(), config, status.Query{URL: "http://prometheus.monitoring.svc.cluster.local:9090/prom/", Text: "up"}, time.Unix(1772452800, 0))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&status.Throttle{Of: map[string]float64{"web-a/web": 0.31}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if path != "/k8s/api/v1/namespaces/monitoring/services/http:prometheus:9090/proxy/prom/api/v1/query" || query != "up" || token != "Bearer mine" {
		t.Errorf("asked %q of %q as %q", query, path, token)
	}
}

// Nobody but the API server gets the user's credentials, whatever a URL says.
func TestNoCredentialsElsewhere(t *testing.T) {
	for address, fine := range map[string]bool{
		"https://prometheus.example": true, "http://prometheus.example:9090": false, "http://a.b.svcx:9090": false, "ftp://a.b.svc": false, "http://localhost:9090": false,
	} {
		at, transport, err := way(&rest.Config{Host: "https://127.0.0.1:1", BearerToken: "mine"}, address)
		if (err == nil) != fine {
			t.Errorf("%s: %v", address, err)
		}
		if fine && (at != address || transport == nil) {
			t.Errorf("%s is asked at %s", address, at)
		}
	}
}

func TestWhy(t *testing.T) {
	for name, c := range map[string]struct {
		code int
		body string
		says string
	}{
		"no right":      {403, `{"kind":"Status","status":"Failure","reason":"Forbidden","code":403}`, "you may not get services/proxy of prometheus in monitoring"},
		"wrong query":   {400, `{"status":"error","errorType":"bad_data","error":"parse error"}`, "says bad_data: parse error"},
		"not there":     {503, `{"kind":"Status","status":"Failure","code":503}`, "prometheus.monitoring.svc:9090"},
		"no Prometheus": {200, `<html>`, "prometheus.monitoring.svc:9090"},
		"a number":      {200, `{"status":"success","data":{"resultType":"scalar","result":[1772452800,"1"]}}`, "it answers with a scalar"},
		"too much":      {200, `{"status":"success","data":{"resultType":"vector","result":[` + strings.Repeat(" ", mostAnswer) + `]}}`, "cannot be asked: http: request body too large"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.code)
				_, _ = w.Write([]byte(c.body))
			}))
			defer server.Close()
			got, err := Throttled(t.Context(), &rest.Config{Host: server.URL}, status.Query{URL: "http://prometheus.monitoring.svc:9090"}, time.Now())
			if err != nil || len(got.Of) > 0 || !strings.Contains(got.Why, c.says) {
				t.Errorf("%+v, %v, want %q", got, err, c.says)
			}
		})
	}
}

// What is broken off is no answer.
func TestBrokenOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Throttled(ctx, &rest.Config{Host: "http://127.0.0.1:1"}, status.Query{URL: "http://a.b.svc"}, time.Now()); err == nil {
		t.Errorf("%+v", got)
	}
}
