// Package prometheus asks Prometheus' own code, in a module of its own (server/), what Demarc
// asks of it, over recorded series.
package prometheus

import (
	"bufio"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"demarc.dev/demarc/internal/prometheus"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/status"
)

// begin of the recorded series, which go on for an hour.
var begin = time.Unix(1_772_000_000, 0)

// What a service was held back in is what the series say, of its own pods and containers, in
// the 15 minutes before.
func TestThrottled(t *testing.T) {
	config := through(t, serve(t))
	for name, c := range map[string]struct {
		after time.Duration
		pods  []string
		level status.Level
		says  string
	}{
		"held back":            {time.Hour, []string{"web-a", "web-b"}, status.Bad, "yes: container web of web-a was held back in 40%"},
		"a little":             {time.Hour, []string{"web-b"}, status.OK, "a little: container web of web-b was held back in 5%"},
		"not at all":           {time.Hour, []string{"web-c"}, status.OK, "no, in the last 15m"},
		"of long ago":          {time.Hour, []string{"web-d"}, status.OK, "no, in the last 15m"},
		"at that time":         {20 * time.Minute, []string{"web-d"}, status.Bad, "yes: container web of web-d was held back in 90%"},
		"a counter that began": {time.Hour, []string{"web-e"}, status.Bad, "yes: container web of web-e was held back in 50%"},
		"no periods":           {time.Hour, []string{"web-f"}, status.Unknown, "has counted no periods"},
		"no series":            {time.Hour, []string{"web"}, status.Unknown, "has counted no periods"},
		"dots are dots":        {time.Hour, []string{"web.a"}, status.Unknown, "has counted no periods"},
		"sidecars count":       {time.Hour, []string{"web-g"}, status.Bad, "yes: container proxy of web-g was held back in 60%"},
	} {
		t.Run(name, func(t *testing.T) {
			set, q := service(t, c.pods)
			query, why := status.QueryOf(set, q)
			if why != "" {
				t.Fatal(why)
			}
			said, err := prometheus.Throttled(t.Context(), config, query, begin.Add(c.after))
			if err != nil {
				t.Fatal(err)
			}
			q.Throttle = said
			a, _ := status.Of(set, q)
			if a.Throttled.Level != c.level || !strings.Contains(a.Throttled.Says, c.says) {
				t.Errorf("%+v of %+v, want %s %q", a.Throttled, said, c.level, c.says)
			}
			for name, part := range said.Of {
				if math.IsNaN(part) || part < 0 || part > 1 {
					t.Errorf("%s: %v", name, part)
				}
			}
		})
	}
}

// service is a Deployment with these pods, whose containers have a CPU limit.
func service(t *testing.T, pods []string) (*snapshot.Set, status.Question) {
	t.Helper()
	text := `apiVersion: demarc.dev/v1alpha1
kind: Platform
metadata: {name: default}
spec: {prometheus: {url: "http://prometheus.monitoring.svc:9090"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team-shop, uid: d1}
spec: {selector: {matchLabels: {app: web}}, template: {spec: {containers: [{name: web, image: web}]}}}
`
	for _, name := range pods {
		text += fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata: {name: %q, namespace: team-shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d1, controller: true}]}
spec: {containers: [{name: web, image: web, resources: {limits: {cpu: 500m}}}]}
status: {phase: Running}
`, name)
	}
	list, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{At: begin}
	set.Add(list...)
	return set, status.Question{Namespace: "team-shop", Workload: "web", Now: begin}
}

// serve runs the program in server/ over the series, until the test ends.
func serve(t *testing.T) *url.URL {
	t.Helper()
	program := filepath.Join(t.TempDir(), "server")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "server"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build Prometheus' API: %v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "testdata/series", fmt.Sprint(begin.Unix()))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends with its input
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it does not say where it listens: %v", err)
	}
	at, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// through plays the part of the API server that passes requests on to the Service.
func through(t *testing.T, to *url.URL) *rest.Config {
	t.Helper()
	const prefix = "/api/v1/namespaces/monitoring/services/http:prometheus:9090/proxy"
	server := httptest.NewServer(http.StripPrefix(prefix, httputil.NewSingleHostReverseProxy(to)))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}
