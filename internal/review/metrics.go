package review

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"demarc.dev/demarc/internal/readiness"
)

var (
	cellsGauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "demarc_contract_cells",
		Help: "Cells of the ownership contract by the API server's answer: equal in the last whole pass; more and less, that is rights " +
			"which the contract does not give or gives in vain, as soon as they are known.",
	}, []string{"result"})

	reviews = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "demarc_contract_reviews_total",
		Help: "SubjectAccessReviews that were asked to verify the ownership contract, by outcome: allowed, denied or error.",
	}, []string{"outcome"})

	// A vector, so that there is no figure where another operator holds the lead.
	verifiedAt = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "demarc_contract_verified_timestamp_seconds",
		Help: "When a round of questions to the API server was last answered, in seconds since 1970; no figure before the first.",
	}, nil)
)

func init() { metrics.Registry.MustRegister(cellsGauge, reviews, verifiedAt) }

// measure sets the figures after a round that was answered.
func measure(r readiness.Reviewed, wholePass bool, now time.Time) {
	cellsGauge.WithLabelValues("more").Set(float64(r.More))
	cellsGauge.WithLabelValues("less").Set(float64(r.Less))
	if wholePass {
		cellsGauge.WithLabelValues("equal").Set(float64(r.Asked - r.More - r.Less))
	}
	verifiedAt.WithLabelValues().Set(float64(now.Unix()))
}
