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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/kube"
)

// addProbes serves liveness, and readiness that is tied to what the operator
// needs to do its work: its watches, controllers that move, admission that lets a
// Tenant through, and the sets that the guardrails read. After an install a policy with a fresh parameter kind refuses for up
// to half a minute.
func addProbes(mgr ctrl.Manager, watches *watchHealth, beats *hearts) error {
	admitted := &admission{client: mgr.GetClient()}
	checks := beats.checks(mgr)
	checks["watches"] = func(context.Context) error { return watches.check() }
	checks["admission"] = admitted.check
	checks["guardrails"] = func(ctx context.Context) error { return setsThere(ctx, mgr.GetClient()) }
	for name, check := range checks {
		if err := mgr.AddReadyzCheck(name, aloud(name, check)); err != nil {
			return err
		}
	}
	return errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.Add(beats))
}

// setsThere says whether the operator has written what the guardrails read: without it
// nothing is let into a team's namespace.
func setsThere(ctx context.Context, c client.Reader) error {
	for _, name := range guardrail.SetNames() {
		set := kube.Like(v1alpha1.SchemeGroupVersion.WithKind("GuardrailSet")) // as its other readers have it cached
		if err := c.Get(ctx, client.ObjectKey{Name: name}, &set); err != nil {
			return fmt.Errorf("read GuardrailSet %s: %w", name, err)
		}
	}
	return nil
}

// aloud logs why a check fails, when that changes: the page with all checks tells only
// which one does.
func aloud(name string, check func(context.Context) error) healthz.Checker {
	var mu sync.Mutex
	said := ""
	return func(req *http.Request) error {
		err := check(req.Context())
		now := ""
		if err != nil {
			now = err.Error()
		}
		mu.Lock()
		defer mu.Unlock()
		if now != "" && now != said {
			log.Log.Info("not ready", "check", name, "why", now)
		}
		said = now
		return err
	}
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
