package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"demarc.dev/demarc/api/v1alpha1"
)

// addProbes serves liveness, and readiness that is tied to what the operator
// needs to do its work: its caches, its watches, and admission that lets a Tenant
// through. After an install a policy with a fresh parameter kind refuses for up
// to half a minute.
func addProbes(mgr ctrl.Manager, watches *watchHealth) error {
	admitted := &admission{client: mgr.GetClient()}
	synced := &syncs{cache: mgr.GetCache()}
	if err := mgr.Add(synced); err != nil {
		return err
	}
	return errors.Join(
		mgr.AddHealthzCheck("ping", healthz.Ping),
		mgr.AddReadyzCheck("caches", func(*http.Request) error { return synced.check() }),
		mgr.AddReadyzCheck("watches", func(*http.Request) error { return watches.check() }),
		mgr.AddReadyzCheck("admission", func(req *http.Request) error { return admitted.check(req.Context()) }),
	)
}

// syncs knows whether all caches have synced.
type syncs struct {
	cache cache.Cache
	mu    sync.Mutex
	done  bool
}

// Start is part of manager.Runnable.
func (s *syncs) Start(ctx context.Context) error {
	if s.cache.WaitForCacheSync(ctx) {
		s.mu.Lock()
		s.done = true
		s.mu.Unlock()
	}
	return nil
}

// NeedLeaderElection is no: an operator that waits for the lead is ready too, or an
// upgrade that starts the new one first would never end.
func (s *syncs) NeedLeaderElection() bool { return false }

func (s *syncs) check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done {
		return errors.New("a cache has not synced yet; see the log for what it may not list")
	}
	return nil
}

// admission asks whether a Tenant would be admitted, by a dry run. Once it was,
// it is not asked again: the answer costs a request.
type admission struct {
	client client.Client
	mu     sync.Mutex
	passed bool
}

func (a *admission) check(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.passed {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	nothing := intstr.FromInt32(0) // below any ceiling
	probe := &v1alpha1.Tenant{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "readiness-probe-"},
		Spec:       v1alpha1.TenantSpec{Resources: &v1alpha1.Budget{CPU: &nothing, Memory: &nothing, Pods: ptr.To[int64](0)}},
	}
	if err := a.client.Create(ctx, probe, client.DryRunAll); err != nil {
		return fmt.Errorf("a Tenant would not be admitted yet: %w", err)
	}
	a.passed = true
	return nil
}
