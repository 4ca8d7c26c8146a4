package verify

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	op "demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/internal/testenv"
)

// reviewed has the operator ask, with its own rights: a fresh cluster agrees, a stray
// binding is told and named well before the hour, and is told no longer once it is gone.
func reviewed(t *testing.T) {
	now := clocktesting.NewFakePassiveClock(time.Now())
	stop := operator.Run(t, op.Options{MetricsAddress: "0", ProbeAddress: "0", Clock: now, ReviewsPerSecond: 2000})
	agreed := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *contract.Default().Spec.DeepCopy()}
	must(t, env.Client.Create(t.Context(), agreed))
	said := verified(t, now, "Agrees", "")
	if said.Status != metav1.ConditionTrue {
		t.Errorf("it says %+v", said)
	}
	whole(t, now)

	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: "team-shop", Name: "stray"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}}}}
	binding := &rbacv1.RoleBinding{ObjectMeta: role.ObjectMeta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "stray"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "payments-devs"}}}
	must(t, env.Client.Create(t.Context(), role))
	must(t, env.Client.Create(t.Context(), binding))
	said = verified(t, now, "GrantsMore", "GrantsMore")
	for _, part := range []string{"edit of team payments (group payments-devs): get secrets in team-shop", `RoleBinding "stray/team-shop"`, "demarc contract verify"} {
		if !strings.Contains(said.Message, part) {
			t.Errorf("it does not say %q: %s", part, said.Message)
		}
	}
	if more := metric(t, "demarc_contract_cells", "more"); more != 1 {
		t.Errorf("the metric says that %v cells grant more", more)
	}
	testenv.EventuallyWithin(t, patience, func() error { return announced(t, "GrantsMore", "team-shop") })

	must(t, env.Client.Delete(t.Context(), binding))
	must(t, env.Client.Delete(t.Context(), role))
	verified(t, now, "Agrees", "ContractReady")
	if more := metric(t, "demarc_contract_cells", "more"); more != 0 {
		t.Errorf("the metric says that %v cells grant more", more)
	}
	stop()
	restarted(t, now)
	must(t, env.Client.Delete(t.Context(), agreed))
}

// restarted begins anew to ask, and writes nothing: what was said stands until as much is
// known again.
func restarted(t *testing.T, now *clocktesting.FakePassiveClock) {
	t.Helper()
	before, was, at := versionOf(t), conditionsNow(t), metric(t, "demarc_contract_verified_timestamp_seconds", "")
	stop := operator.Run(t, op.Options{MetricsAddress: "0", ProbeAddress: "0", Clock: now, ReviewsPerSecond: 2000})
	testenv.EventuallyWithin(t, 2*patience, func() error {
		now.SetTime(now.Now().Add(time.Second))
		if metric(t, "demarc_contract_verified_timestamp_seconds", "") == at {
			return errors.New("no round was answered since the restart")
		}
		return nil
	})
	stop()
	if after := versionOf(t); after != before {
		t.Errorf("a restart wrote the contract's status (-before +after):\n%s", cmp.Diff(was, conditionsNow(t)))
	}
}

// soon is less than the time from one round to the next, and more than it takes after a
// change: 30 seconds of quiet, and 30 until what differs is asked again.
const soon = 4 * time.Minute

// verified moves the clock for as long as a change may take to be told, and waits until
// the contract says so. An empty reason of Ready is any.
func verified(t *testing.T, now *clocktesting.FakePassiveClock, reason, ready string) (found metav1.Condition) {
	t.Helper()
	passed := time.Duration(0)
	testenv.EventuallyWithin(t, 2*patience, func() error {
		if passed < soon {
			passed += time.Second
			now.SetTime(now.Now().Add(time.Second))
		}
		conditions := conditionsNow(t)
		c, summary := meta.FindStatusCondition(conditions, "Verified"), meta.FindStatusCondition(conditions, "Ready")
		if c == nil || c.Reason != reason || ready != "" && summary.Reason != ready {
			return fmt.Errorf("after %s: Verified is %+v, Ready %+v", passed, c, summary)
		}
		found = *c
		return nil
	})
	return found
}

// whole waits until every cell was asked.
func whole(t *testing.T, now *clocktesting.FakePassiveClock) {
	t.Helper()
	testenv.EventuallyWithin(t, 2*patience, func() error {
		now.SetTime(now.Now().Add(10 * time.Second))
		c := meta.FindStatusCondition(conditionsNow(t), "Verified")
		var asked, cells int
		if _, err := fmt.Sscanf(c.Message, "the API server answers as the contract says: %d of %d cells asked", &asked, &cells); err != nil {
			return fmt.Errorf("%q: %w", c.Message, err)
		}
		if equal := metric(t, "demarc_contract_cells", "equal"); cells < 5000 || asked < cells || equal != float64(cells) {
			return fmt.Errorf("%d of %d cells, %v by the metric", asked, cells, equal)
		}
		return nil
	})
}

func conditionsNow(t *testing.T) []metav1.Condition {
	t.Helper()
	o := &v1alpha1.OwnershipContract{}
	must(t, env.Client.Get(t.Context(), types.NamespacedName{Name: v1alpha1.ContractName}, o))
	return o.Status.Conditions
}

func versionOf(t *testing.T) string {
	t.Helper()
	o := &v1alpha1.OwnershipContract{}
	must(t, env.Client.Get(t.Context(), types.NamespacedName{Name: v1alpha1.ContractName}, o))
	return o.ResourceVersion
}

// metric is a figure of the operator, of a result where one is named; -1 where it is not
// there.
func metric(t *testing.T, name, result string) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	must(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (result == "" || m.GetLabel()[0].GetValue() == result) {
				return m.GetGauge().GetValue()
			}
		}
	}
	return -1
}

// announced says whether there is an Event of the contract.
func announced(t *testing.T, reason, part string) error {
	t.Helper()
	var list eventsv1.EventList
	must(t, env.Client.List(t.Context(), &list, client.InNamespace(metav1.NamespaceDefault)))
	for i := range list.Items {
		if e := &list.Items[i]; e.Reason == reason && e.Regarding.Kind == "OwnershipContract" && strings.Contains(e.Note, part) {
			return nil
		}
	}
	return fmt.Errorf("none of %d Events has the reason %s", len(list.Items), reason)
}
