package operator

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/readiness"
)

var (
	notReady = prometheus.NewDesc("demarc_not_ready",
		"Objects that are not Ready, by kind and by the reason of their Ready condition.", []string{"kind", "reason"}, nil)
	behind = prometheus.NewDesc("demarc_generation_behind",
		"Objects whose status speaks of an older generation of them, by kind: nobody has looked at the change yet.", []string{"kind"}, nil)
)

// notReadyCollector counts from the cache when it is asked, so that the figure
// needs no keeping and cannot go stale.
type notReadyCollector struct{ reader client.Reader }

// registerCollectors adds what is counted from the cache.
func registerCollectors(mgr ctrl.Manager) error {
	for _, c := range []prometheus.Collector{notReadyCollector{mgr.GetClient()}, exceptionsCollector{mgr.GetClient()}} {
		// Several operators run in one test process.
		if err := metrics.Registry.Register(c); err != nil && !errors.As(err, &prometheus.AlreadyRegisteredError{}) {
			return err
		}
	}
	return nil
}

// Describe is part of prometheus.Collector.
func (notReadyCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- notReady
	ch <- behind
}

// Collect is part of prometheus.Collector.
func (c notReadyCollector) Collect(ch chan<- prometheus.Metric) {
	// A cache that has not synced must not hold the other metrics back.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var tenants v1alpha1.TenantList
	if err := c.reader.List(ctx, &tenants); err == nil {
		tally := newTally("Tenant")
		for i := range tenants.Items {
			t := &tenants.Items[i]
			tally.count(t.Generation, t.Status.ObservedGeneration, t.Status.Conditions)
		}
		tally.send(ch)
	}
	var claims v1alpha1.ServiceClaimList
	if err := c.reader.List(ctx, &claims); err == nil {
		tally := newTally("ServiceClaim")
		for i := range claims.Items {
			s := &claims.Items[i]
			tally.count(s.Generation, s.Status.ObservedGeneration, s.Status.Conditions)
		}
		tally.send(ch)
	}
	var platforms v1alpha1.PlatformList
	if err := c.reader.List(ctx, &platforms); err == nil {
		tally := newTally("Platform")
		for i := range platforms.Items {
			p := &platforms.Items[i]
			tally.count(p.Generation, p.Status.ObservedGeneration, p.Status.Conditions)
		}
		tally.send(ch)
	}
}

// tally counts the objects of one kind.
type tally struct {
	kind    string
	reasons map[string]int
	behind  int
}

func newTally(kind string) *tally { return &tally{kind: kind, reasons: map[string]int{}} }

func (t *tally) count(generation, observed int64, conditions []metav1.Condition) {
	if observed != generation {
		t.behind++
	}
	ready := meta.FindStatusCondition(conditions, readiness.Ready)
	switch {
	case ready == nil:
		t.reasons["NotSeen"]++
	case ready.Status != metav1.ConditionTrue:
		t.reasons[ready.Reason]++
	}
}

func (t *tally) send(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(behind, prometheus.GaugeValue, float64(t.behind), t.kind)
	for reason, n := range t.reasons {
		ch <- prometheus.MustNewConstMetric(notReady, prometheus.GaugeValue, float64(n), t.kind, reason)
	}
}
