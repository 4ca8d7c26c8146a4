package heartbeat

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var timestamp = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "demarc_controller_heartbeat_timestamp_seconds",
	Help: "When a controller last moved, in seconds since 1970: its own queue and one of its own workers ran a beat. " +
		"0 is a controller that was to begin and has not; where another operator holds the lead there is no figure.",
}, []string{"controller"})

func init() { metrics.Registry.MustRegister(timestamp) }

// Expect serves 0 until the first beat, so that a controller that never begins is seen too.
func (h *Heart) Expect() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.IsZero() {
		timestamp.WithLabelValues(h.Controller).Set(0)
	}
}
