package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"
)

// samples are one scrape.
type samples map[string]*dto.MetricFamily

func parse(r io.Reader) (samples, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(r)
}

// scrapeServer asks the API server.
func (g *ground) scrapeServer(ctx context.Context) (samples, error) {
	config, err := g.admin(benchActor)
	if err != nil {
		return nil, err
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	text, err := c.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("scrape the API server: %w", err)
	}
	return parse(bytes.NewReader(text))
}

// scrapeOperator asks the operator.
func (g *ground) scrapeOperator(ctx context.Context) (samples, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.demarc.MetricsURL, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("scrape the operator: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("scrape the operator: %s", answer.Status)
	}
	return parse(answer.Body)
}

// sum adds what matches all the labels given.
func (s samples) sum(name string, labels ...string) float64 {
	total := 0.0
	for _, m := range s[name].GetMetric() {
		if have := labelsOf(m); matches(have, labels) {
			total += m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue()
		}
	}
	return total
}

func matches(have map[string]string, pairs []string) bool {
	for i := 0; i+1 < len(pairs); i += 2 {
		if have[pairs[i]] != pairs[i+1] {
			return false
		}
	}
	return true
}

func labelsOf(m *dto.Metric) map[string]string {
	out := map[string]string{}
	for _, l := range m.GetLabel() {
		out[l.GetName()] = l.GetValue()
	}
	return out
}

// verbs of the API server's metric that write, as the audit log names them.
var verbs = map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "APPLY": "patch", "DELETE": "delete"}

// writes counts what the API server took, by resource and verb: no Leases, no dry runs, no reviews, nothing refused.
func (s samples) writes() map[write]int {
	out := map[write]int{}
	for _, m := range s["apiserver_request_total"].GetMetric() {
		l := labelsOf(m)
		w := write{resource: l["resource"], subresource: l["subresource"], verb: verbs[l["verb"]]}
		if w.verb == "" || !w.counts() || l["dry_run"] != "" || !strings.HasPrefix(l["code"], "2") {
			continue
		}
		out[w] += int(m.GetCounter().GetValue())
	}
	return out
}
