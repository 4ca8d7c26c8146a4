package runner

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"demarc.dev/demarc/internal/diagnosis"
)

var (
	findings = prometheus.NewDesc("demarc_findings",
		"Open root findings of triage, by the id of the signature, who must act, the failure domain, the severity, and the team that it is about.",
		[]string{"id", "owner", "domain", "severity", "team"}, nil)
	lookedAt = prometheus.NewDesc("demarc_findings_timestamp_seconds",
		"When triage last looked at the whole cluster, in seconds since 1970; no figure before the first look.", nil, nil)
	took = prometheus.NewDesc("demarc_findings_duration_seconds",
		"How long the last whole look took, in seconds.", nil, nil)
	unread = prometheus.NewDesc("demarc_findings_unread_kinds",
		"Kinds that the operator may not read, so that nothing is found there.", nil, nil)

	looks = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "demarc_findings_looks_total",
		Help: "How often triage looked at the cluster, by outcome: whole, part where a kind could not be read for a passing reason, or error.",
	}, []string{"outcome"})
)

// last is what is measured: whole, so that a scrape sees one look and not parts of two.
var last atomic.Pointer[measured]

type measured struct {
	diagnosis.Diagnosis
	took time.Duration
}

func measure(d diagnosis.Diagnosis, took time.Duration) { last.Store(&measured{d, took}) }

func forget() { last.Store(nil) }

type collector struct{}

func init() { metrics.Registry.MustRegister(collector{}, looks) }

// Describe is part of prometheus.Collector.
func (collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{findings, lookedAt, took, unread} {
		ch <- d
	}
}

// Collect is part of prometheus.Collector.
func (collector) Collect(ch chan<- prometheus.Metric) {
	m := last.Load()
	if m == nil {
		return
	}
	for s, n := range m.Series {
		ch <- prometheus.MustNewConstMetric(findings, prometheus.GaugeValue, float64(n), s.ID, string(s.Owner), s.Domain, string(s.Severity), s.Team)
	}
	ch <- prometheus.MustNewConstMetric(lookedAt, prometheus.GaugeValue, float64(m.At.UnixMilli())/1000)
	ch <- prometheus.MustNewConstMetric(took, prometheus.GaugeValue, m.took.Seconds())
	ch <- prometheus.MustNewConstMetric(unread, prometheus.GaugeValue, float64(len(m.Unread)))
}
