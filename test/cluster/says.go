package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// Eventually polls until check is nil.
func Eventually(t *testing.T, within time.Duration, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		if last == nil || ctx.Err() == nil { // else it only says that time is up
			last = err
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %v", within, last)
		case <-tick.C:
		}
	}
}

// ClaimSays waits for the reason of a claim's condition and returns the claim.
func (c *Cluster) ClaimSays(t *testing.T, within time.Duration, name, condition, reason string) *v1alpha1.ServiceClaim {
	t.Helper()
	o := &v1alpha1.ServiceClaim{}
	Eventually(t, within, func(ctx context.Context) error {
		if err := c.Client.Get(ctx, types.NamespacedName{Name: name}, o); err != nil {
			return err
		}
		return Says(o.Status.Conditions, o.Generation, condition, reason)
	})
	return o
}

// TenantSays waits for the reason of a Tenant's condition and returns the Tenant.
func (c *Cluster) TenantSays(t *testing.T, within time.Duration, name, condition, reason string) *v1alpha1.Tenant {
	t.Helper()
	o := &v1alpha1.Tenant{}
	Eventually(t, within, func(ctx context.Context) error {
		if err := c.Client.Get(ctx, types.NamespacedName{Name: name}, o); err != nil {
			return err
		}
		return Says(o.Status.Conditions, o.Generation, condition, reason)
	})
	return o
}

// Says is an error where the condition has not this reason at this generation.
func Says(conditions []metav1.Condition, generation int64, kind, reason string) error {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.Reason != reason || c.ObservedGeneration != generation {
		return fmt.Errorf("%s is %+v, want the reason %s at generation %d", kind, c, reason, generation)
	}
	return nil
}

// Message of a condition, or nothing.
func Message(conditions []metav1.Condition, kind string) string {
	if c := meta.FindStatusCondition(conditions, kind); c != nil {
		return c.Message
	}
	return ""
}

// IsGone waits until an object is absent.
func (c *Cluster) IsGone(t *testing.T, within time.Duration, o client.Object) {
	t.Helper()
	Eventually(t, within, func(ctx context.Context) error {
		err := c.Client.Get(ctx, client.ObjectKeyFromObject(o), o)
		if err == nil {
			return fmt.Errorf("%T %s is still there, held by %v", o, o.GetName(), o.GetFinalizers())
		}
		return client.IgnoreNotFound(err)
	})
}

// IsAbsent fails where an object is there now.
func (c *Cluster) IsAbsent(t *testing.T, o client.Object) {
	t.Helper()
	err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o)
	if err == nil {
		t.Fatalf("%T %s is there, held by %v", o, o.GetName(), o.GetFinalizers())
	}
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
}
