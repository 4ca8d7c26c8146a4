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

var notReady = prometheus.NewDesc("demarc_not_ready",
	"Objects that are not Ready, by kind and by the reason of their Ready condition.", []string{"kind", "reason"}, nil)

// notReadyCollector counts from the cache when it is asked, so that the figure
// needs no keeping and cannot go stale.
type notReadyCollector struct{ reader client.Reader }

func registerNotReady(mgr ctrl.Manager) error {
	err := metrics.Registry.Register(notReadyCollector{mgr.GetClient()})
	if errors.As(err, &prometheus.AlreadyRegisteredError{}) { // several operators in one test process
		return nil
	}
	return err
}

// Describe is part of prometheus.Collector.
func (notReadyCollector) Describe(ch chan<- *prometheus.Desc) { ch <- notReady }

// Collect is part of prometheus.Collector.
func (c notReadyCollector) Collect(ch chan<- prometheus.Metric) {
	// A cache that has not synced must not hold the other metrics back.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	counts := map[[2]string]int{}
	count := func(kind string, conditions []metav1.Condition) {
		ready := meta.FindStatusCondition(conditions, readiness.Ready)
		switch {
		case ready == nil:
			counts[[2]string{kind, "NotSeen"}]++
		case ready.Status != metav1.ConditionTrue:
			counts[[2]string{kind, ready.Reason}]++
		}
	}
	var tenants v1alpha1.TenantList
	if err := c.reader.List(ctx, &tenants); err == nil {
		for i := range tenants.Items {
			count("Tenant", tenants.Items[i].Status.Conditions)
		}
	}
	var claims v1alpha1.ServiceClaimList
	if err := c.reader.List(ctx, &claims); err == nil {
		for i := range claims.Items {
			count("ServiceClaim", claims.Items[i].Status.Conditions)
		}
	}
	var platforms v1alpha1.PlatformList
	if err := c.reader.List(ctx, &platforms); err == nil {
		for i := range platforms.Items {
			count("Platform", platforms.Items[i].Status.Conditions)
		}
	}
	for key, n := range counts {
		ch <- prometheus.MustNewConstMetric(notReady, prometheus.GaugeValue, float64(n), key[0], key[1])
	}
}
