package guardrail

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

const noTime = "does not count here, as this request carries no time"

// A change that only takes fields away carries no time, and one can be sent along with it
// that is not true: neither prolongs an exception.
func TestTheClockIsTheServers(t *testing.T) {
	t.Parallel()
	const rule = "requests-set"
	o := example(t, ruleNamed(t, rule).Good)
	o.SetNamespace(v1alpha1.NamespaceOf(excepted(rule)))
	must(t, env.Client.Create(t.Context(), o, client.FieldOwner("test")))
	try := func(edit func(*unstructured.Unstructured)) func() error {
		return func() error { return change(t, o, edit, client.DryRunAll, client.FieldOwner("test")) }
	}
	bare := func(o *unstructured.Unstructured) {
		containers, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
		must(t, err)
		delete(containers[0].(fields), "resources")
		must(t, unstructured.SetNestedSlice(o.Object, containers, "spec", "template", "spec", "containers"))
	}
	and := func(edits ...func(*unstructured.Unstructured)) func() error {
		return try(func(o *unstructured.Unstructured) {
			for _, edit := range edits {
				edit(o)
			}
		})
	}
	noted := func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{"note": "x"}) }
	forged := func(o *unstructured.Unstructured) {
		entries := o.GetManagedFields()
		then := metav1.NewTime(time.Now().Add(-36 * time.Hour).Truncate(time.Second))
		entries[0].Time, entries[0].Manager = &then, "forger"
		o.SetManagedFields(entries)
	}
	forgotten := func(o *unstructured.Unstructured) { o.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) }

	refuses(t, rule, "without an exception", "", and(bare))
	except(t, rule, until("holds", time.Hour, nil, rule))
	passes(t, "a field away and an annotation there", and(bare, noted))
	refuses(t, rule, "a field away", "The exception holds "+noTime, and(bare))
	refuses(t, rule, "a field away and no fields managed", "The exception holds "+noTime, and(bare, noted, forgotten))
	except(t, rule, until("holds", -24*time.Hour, nil, rule))
	refuses(t, rule, "a forged time before the end", noTime, and(bare, forged))
	refuses(t, rule, "a forged time before the end and an annotation", "The exception holds ended at", and(bare, forged, noted))
}

// kubectl scale carries no time; a change of the number itself does.
func TestNoTimeToScale(t *testing.T) {
	t.Parallel()
	const rule = "replica-max"
	o := example(t, ruleNamed(t, rule).Good)
	o.SetNamespace(v1alpha1.NamespaceOf(excepted(rule)))
	must(t, env.Client.Create(t.Context(), o))
	except(t, rule, until("sale", time.Hour, nil, rule))
	passes(t, "the number itself", func() error {
		return env.Client.Patch(t.Context(), o.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":50}}`)), client.DryRunAll)
	})
	refuses(t, rule, "kubectl scale", "The exception sale "+noTime, func() error {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: o.GetName(), Namespace: o.GetNamespace()}}
		return env.Client.SubResource("scale").Update(t.Context(), d, client.WithSubResourceBody(&autoscalingv1.Scale{ObjectMeta: d.ObjectMeta, Spec: autoscalingv1.ScaleSpec{Replicas: 50}}))
	})
}

// A container that is put into a pod carries a time, and so does a resize.
func TestExceptionInARunningPod(t *testing.T) {
	t.Parallel()
	const rule = "seccomp"
	p := pod(t, excepted(rule), corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "x:1"}}})
	into := func() error {
		with := p.DeepCopy()
		with.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "x:1",
			SecurityContext: &corev1.SecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: "Unconfined"}}}}}
		return env.Client.SubResource("ephemeralcontainers").Update(t.Context(), with, client.DryRunAll)
	}
	except(t, rule, until("trace", -time.Hour, nil, rule))
	refuses(t, rule, "after its end", "The exception trace ended at", into)
	except(t, rule, until("trace", time.Hour, nil, rule))
	passes(t, "while it holds", into)
}

// A time of one's own that was planted before, and that the server's own time then equals,
// hides the server's: a forged one beside it must not be taken for now.
func TestPlantedTime(t *testing.T) {
	t.Parallel()
	const rule = "host-port"
	o := example(t, ruleNamed(t, rule).Good)
	o.SetNamespace(v1alpha1.NamespaceOf(excepted(rule)))
	o.SetName("planted")
	must(t, env.Client.Create(t.Context(), o, client.FieldOwner("planter")))
	except(t, rule, until("lapsed", -24*time.Hour, nil, rule))
	stamped := func(manager string, at time.Time) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			entries := o.GetManagedFields()
			entry := *entries[0].DeepCopy()
			moment := metav1.NewTime(at.Truncate(time.Second))
			if entry.Manager, entry.Time = manager, &moment; manager == "planter" {
				entries = nil
			}
			o.SetManagedFields(append(entries, entry))
		}
	}
	ahead := time.Now().Add(3 * time.Second)
	must(t, change(t, o, func(o *unstructured.Unstructured) {
		o.SetAnnotations(map[string]string{"note": "x"})
		stamped("planter", ahead)(o)
	}, client.FieldOwner("other")))
	bad := example(t, ruleNamed(t, rule).Bad)
	for time.Now().Before(ahead.Add(time.Second)) {
		err := change(t, o, func(o *unstructured.Unstructured) {
			o.Object["spec"] = bad.DeepCopy().Object["spec"]
			stamped("forger", time.Now().Add(-72*time.Hour))(o)
		}, client.FieldOwner("planter"), client.DryRunAll)
		if !refusedBy(rule, err) {
			t.Fatalf("an exception that ended was used: %v", err)
		}
	}
}
