package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/testenv"
)

// exposed is a claim that asks for a host.
func exposed(name, team, host string) *v1alpha1.ServiceClaim {
	c := claim(name, team)
	c.Spec.Port, c.Spec.Expose = ptr.To[int32](80), &v1alpha1.ClaimExpose{Host: v1alpha1.ClaimHost(host)}
	return c
}

// withDomains is a Tenant of these domains.
func withDomains(team string, domains ...string) *v1alpha1.Tenant {
	t := tenant(team)
	t.Spec.Domains = domains
	return t
}

// hostsOf are those of the claim's Application as it is; nil where there is none.
func hostsOf(t *testing.T, c *v1alpha1.ServiceClaim) []string {
	t.Helper()
	app := kube.Named(argocd.ApplicationKind, "argocd", c.Spec.Team+"."+c.Name)
	if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		if client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		return nil
	}
	hosts, _, _ := unstructured.NestedStringSlice(app.Object, "spec", "source", "helm", "valuesObject", "expose", "hosts")
	return hosts
}

func edit(t *testing.T, c *v1alpha1.ServiceClaim, change func(*v1alpha1.ServiceClaim)) {
	t.Helper()
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(c), c); err != nil {
			return err
		}
		change(c)
		return env.Client.Update(context.Background(), c)
	})
}

// O1: a host belongs to the first claim that has it, and goes to the next when that lets
// go of it or is gone.
func TestO1HostBelongsToTheFirst(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	create(t, env, withDomains("host-a", "shop.test"), withDomains("host-b", "shop.test"))
	first, second := exposed("host-first", "host-a", "www.shop.test"), exposed("host-second", "host-b", "www.shop.test")
	create(t, env, first)
	ready(t, env, first, "Running")
	if !slices.Equal(first.Status.Hosts, []string{"www.shop.test"}) {
		t.Errorf("it holds %v", first.Status.Hosts)
	}
	create(t, env, second)
	if c := ready(t, env, second, "HostTaken"); !strings.Contains(c.Message, "www.shop.test belongs to ServiceClaim host-first of team host-a") {
		t.Errorf("it says %q", c.Message)
	}
	if got := hostsOf(t, second); got != nil {
		t.Errorf("the second was delivered with %v", got)
	}
	// One that has others asks for it as well: what it has stays.
	third := exposed("host-third", "host-b", "blog.shop.test")
	create(t, env, third)
	ready(t, env, third, "Running")
	edit(t, third, func(c *v1alpha1.ServiceClaim) { c.Spec.Expose.Aliases = []v1alpha1.ClaimHost{"www.shop.test"} })
	ready(t, env, third, "HostTaken")
	if got := hostsOf(t, third); !slices.Equal(got, []string{"blog.shop.test"}) {
		t.Errorf("the third is delivered with %v", got)
	}

	edit(t, first, func(c *v1alpha1.ServiceClaim) { c.Spec.Expose.Host = "old.shop.test" })
	ready(t, env, second, "Running")
	condition(t, env, third, "DeliveryReady", "HostTaken")
	edit(t, first, func(c *v1alpha1.ServiceClaim) { c.Spec.Expose.Host = "www.shop.test" }) // too late
	ready(t, env, first, "HostTaken")

	remove(t, second)
	isGone(t, second)
	ready(t, env, first, "Running") // the oldest that asks
	remove(t, first)
	isGone(t, first)
	ready(t, env, third, "Running")
	if got := hostsOf(t, third); !slices.Equal(got, []string{"blog.shop.test", "www.shop.test"}) {
		t.Errorf("the third is delivered with %v", got)
	}
}

// Many at a time: one has it, all others are told who.
func TestO1HostOfMany(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	create(t, env, withDomains("crowd", "crowd.test"))
	const many = 8
	var all [many]*v1alpha1.ServiceClaim
	var group sync.WaitGroup
	for i := range all {
		all[i] = exposed(fmt.Sprintf("crowd-%c", 'h'-i), "crowd", "www.crowd.test")
		all[i].Spec.Replicas = ptr.To[int32](0)
		group.Go(func() {
			if err := env.Client.Create(t.Context(), all[i]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	left := all[:]
	for len(left) > 5 { // each time it goes on with another one
		var winner *v1alpha1.ServiceClaim
		testenv.Eventually(t, func() error {
			winner = nil
			for _, c := range left {
				if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(c), c); err != nil {
					return err
				}
				switch found := meta.FindStatusCondition(c.Status.Conditions, "Ready"); {
				case found == nil:
					return fmt.Errorf("%s says nothing yet", c.Name)
				case found.Reason == "HostTaken":
				case found.Reason == "ScaledToZero" && winner == nil:
					winner = c
				default:
					return fmt.Errorf("%s is %s: %s", c.Name, found.Reason, found.Message)
				}
			}
			if winner == nil {
				return fmt.Errorf("nobody has it")
			}
			return nil
		})
		for _, c := range left {
			if got := hostsOf(t, c); (got != nil) != (c == winner) {
				t.Errorf("%s has %s, and %s is delivered with %v", winner.Name, "www.crowd.test", c.Name, got)
			}
		}
		remove(t, winner)
		isGone(t, winner)
		left = slices.DeleteFunc(slices.Clone(left), func(c *v1alpha1.ServiceClaim) bool { return c == winner })
	}
}

// A host lies below a domain of the team, and is delivered as soon as it does.
func TestHostBelowADomain(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	team := withDomains("domains", "a.test")
	create(t, env, team)
	web := exposed("domains-web", "domains", "www.b.test")
	create(t, env, web)
	ready(t, env, web, "HostNotAllowed")
	testenv.Eventually(t, func() error {
		if err := env.Client.Get(context.Background(), client.ObjectKeyFromObject(team), team); err != nil {
			return err
		}
		team.Spec.Domains = []string{"a.test", "b.test"}
		return env.Client.Update(context.Background(), team)
	})
	ready(t, env, web, "Running")
	edit(t, web, func(c *v1alpha1.ServiceClaim) { c.Spec.Expose.Host = "" })
	ready(t, env, web, "ExposeNotConfigured")
	if got := hostsOf(t, web); !slices.Equal(got, []string{"www.b.test"}) {
		t.Errorf("what ran is delivered with %v", got)
	}
}

// O5 for each kind of workload: what is Ready is proven by what is there.
func TestO5KindsOfWorkload(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	env.StandIn(t)
	create(t, env, tenant("kinds"))
	of := func(name string, kind v1alpha1.ClaimKind) *v1alpha1.ServiceClaim {
		c := claim(name, "kinds")
		c.Spec.Replicas, c.Spec.Kind = nil, kind
		return c
	}
	stateful, job, cron := of("kinds-db", v1alpha1.KindStateful), of("kinds-once", v1alpha1.KindJob), of("kinds-often", v1alpha1.KindCronJob)
	size := v1alpha1.Quantity{Type: 1, StrVal: "1Gi"}
	stateful.Spec.Volumes = []v1alpha1.ClaimVolume{{Name: "data", Path: "/data", Size: &size}}
	cron.Spec.Job = &v1alpha1.ClaimJob{Schedule: "@daily"}
	create(t, env, stateful, job, cron)

	ready(t, env, stateful, "Running")
	if stateful.Status.Running == nil || stateful.Status.Running.Replicas != 1 {
		t.Errorf("it runs as %+v", stateful.Status.Running)
	}

	ready(t, env, job, "JobRunning")
	end(t, job, "", batchv1.JobComplete)
	ready(t, env, job, "Completed")
	edit(t, job, func(c *v1alpha1.ServiceClaim) { c.Spec.Image = "nginx:2" })
	ready(t, env, job, "JobRunning") // another run
	end(t, job, "nginx:2", batchv1.JobFailed)
	ready(t, env, job, "JobFailed")

	ready(t, env, cron, "Scheduled")
	live := &batchv1.CronJob{}
	if err := env.Client.Get(t.Context(), client.ObjectKey{Namespace: "team-kinds", Name: cron.Name}, live); err != nil {
		t.Fatal(err)
	}
	for i, how := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete} {
		run := &batchv1.Job{Spec: live.Spec.JobTemplate.Spec, ObjectMeta: metav1.ObjectMeta{
			Namespace: live.Namespace, Name: fmt.Sprintf("%s-%d", live.Name, i), Labels: map[string]string{v1alpha1.LabelClaim: cron.Name},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(live, batchv1.SchemeGroupVersion.WithKind("CronJob"))},
		}}
		create(t, env, run)
		finish(t, run, how)
		ready(t, env, cron, map[batchv1.JobConditionType]string{batchv1.JobFailed: "LastRunFailed", batchv1.JobComplete: "Scheduled"}[how])
	}
	for _, c := range []*v1alpha1.ServiceClaim{stateful, job, cron} {
		remove(t, c)
		isGone(t, c)
	}
}

// end ends the Job of a claim that runs an image; an empty one is any.
func end(t *testing.T, c *v1alpha1.ServiceClaim, image string, how batchv1.JobConditionType) {
	t.Helper()
	testenv.Eventually(t, func() error {
		var jobs batchv1.JobList
		if err := env.Client.List(context.Background(), &jobs, client.InNamespace("team-"+c.Spec.Team), client.MatchingLabels{v1alpha1.LabelClaim: c.Name}); err != nil {
			return err
		}
		for i := range jobs.Items {
			if j := &jobs.Items[i]; image == "" || j.Spec.Template.Spec.Containers[0].Image == image {
				finish(t, j, how)
				return nil
			}
		}
		return fmt.Errorf("there is no Job of %s", c.Name)
	})
}

func finish(t *testing.T, j *batchv1.Job, how batchv1.JobConditionType) {
	t.Helper()
	now := metav1.Now()
	before := map[batchv1.JobConditionType]batchv1.JobConditionType{batchv1.JobComplete: batchv1.JobSuccessCriteriaMet, batchv1.JobFailed: batchv1.JobFailureTarget}[how]
	j.Status.StartTime = &now
	if how == batchv1.JobComplete {
		j.Status.CompletionTime, j.Status.Succeeded = &now, 1
	}
	for _, c := range []batchv1.JobConditionType{before, how} {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{
			Type: c, Status: corev1.ConditionTrue, Reason: "Test", Message: "the test says so", LastTransitionTime: now, LastProbeTime: now})
	}
	if err := env.Client.Status().Update(t.Context(), j); err != nil {
		t.Fatal(err)
	}
}
