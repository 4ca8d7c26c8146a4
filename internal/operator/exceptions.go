package operator

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

var exceptions = prometheus.NewDesc("demarc_guardrail_exceptions",
	"GuardrailExceptions by team and by how they stand: requested, active, ending, lapsed (something still runs on it), ended, revoked or refused.",
	[]string{"team", "state"}, nil)

// exceptionsCollector counts from the cache when it is asked.
type exceptionsCollector struct{ reader client.Reader }

// Describe is part of prometheus.Collector.
func (exceptionsCollector) Describe(ch chan<- *prometheus.Desc) { ch <- exceptions }

// Collect is part of prometheus.Collector.
func (c exceptionsCollector) Collect(ch chan<- prometheus.Metric) {
	// A cache that has not synced must not hold the other metrics back.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var list v1alpha1.GuardrailExceptionList
	if err := c.reader.List(ctx, &list); err != nil {
		return
	}
	count := map[[2]string]int{}
	for i := range list.Items {
		e := &list.Items[i]
		count[[2]string{e.Spec.Team, readiness.ExceptionState(e)}]++
	}
	for of, n := range count {
		ch <- prometheus.MustNewConstMetric(exceptions, prometheus.GaugeValue, float64(n), of[0], of[1])
	}
}
