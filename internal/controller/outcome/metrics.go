package outcome

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	reconciles = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "demarc_reconcile_total",
		Help: "Reconciles by controller and outcome: success, requeue (looks again later) or error (tries again with back-off).",
	}, []string{"controller", "outcome"})

	claimReady = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "demarc_claim_ready_seconds",
		Help:    "Time from the creation of a ServiceClaim to its first Ready=True.",
		Buckets: []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600},
	})
)

func init() { metrics.Registry.MustRegister(reconciles, claimReady) }

// Count counts one reconcile.
func Count(controller string, result ctrl.Result, err error) {
	outcome := "success"
	switch {
	case err != nil:
		outcome = "error"
	case result.RequeueAfter > 0:
		outcome = "requeue"
	}
	reconciles.WithLabelValues(controller, outcome).Inc()
}

// ObserveReady records how long a claim took to its first Ready.
func ObserveReady(took time.Duration) { claimReady.Observe(took.Seconds()) }
