package triage

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

func read(set *snapshot.Set, q Question) *world {
	w := &world{set: set, now: q.Now, files: q.Files, own: q.Own, objects: map[schema.GroupKind][]snapshot.Object{}, parts: map[string][]cause{}, held: map[inSpace]bool{}, nodeOf: map[string]*corev1.Node{}}
	if w.now.IsZero() {
		w.now = set.At
	}
	for _, o := range set.All() {
		kind := o.GroupVersionKind().GroupKind()
		w.objects[kind] = append(w.objects[kind], o)
		w.held[inSpace{kind, o.GetNamespace()}] = true
	}
	w.readTeams()
	w.readEvents()
	w.nodes = decode[corev1.Node](w, nodeKind)
	w.deployments = decode[appsv1.Deployment](w, deploymentKind)
	w.replicaSets = decode[appsv1.ReplicaSet](w, replicaSetKind)
	w.statefulSets = decode[appsv1.StatefulSet](w, statefulSetKind)
	w.daemonSets = decode[appsv1.DaemonSet](w, daemonSetKind)
	w.jobs = decode[batchv1.Job](w, jobKind)
	w.cronJobs = decode[batchv1.CronJob](w, cronJobKind)
	w.volumeClaims = decode[corev1.PersistentVolumeClaim](w, volumeClaimKind)
	w.services = decode[corev1.Service](w, serviceKind)
	w.ingresses = decode[networkingv1.Ingress](w, ingressKind)
	w.budgets = decode[policyv1.PodDisruptionBudget](w, budgetKind)
	w.autoscalers = decode[autoscalingv2.HorizontalPodAutoscaler](w, autoscalerKind)
	w.quotas = decode[corev1.ResourceQuota](w, quotaKind)
	for _, n := range w.nodes {
		w.nodeOf[n.Name] = n
	}
	w.readServices()
	w.readOwners()
	w.readWorkloads()
	w.readPods()
	return w
}

func (w *world) readTeams() {
	w.teams = map[string]string{}
	for _, o := range w.objects[namespaceKind] {
		w.teams[o.GetName()] = o.GetLabels()[v1alpha1.LabelTenant]
	}
}

// teamOf a namespace: by its label, which policy keeps, or by its name where it could not
// be read. Empty is that it is no team's.
func (w *world) teamOf(namespace string) string {
	if team, read := w.teams[namespace]; read {
		return team
	}
	team, _ := strings.CutPrefix(namespace, v1alpha1.NamespacePrefix)
	if team == namespace {
		return ""
	}
	return team
}

func (w *world) readServices() {
	w.serviceOf = map[finding.Object]*corev1.Service{}
	w.servicesIn, w.slicesOf = map[string][]*corev1.Service{}, map[finding.Object][]*discoveryv1.EndpointSlice{}
	for _, s := range w.services {
		w.servicesIn[s.Namespace] = append(w.servicesIn[s.Namespace], s)
		w.serviceOf[refOf(serviceKind, s)] = s
	}
	for _, s := range decode[discoveryv1.EndpointSlice](w, sliceKind) {
		if name := s.Labels[discoveryv1.LabelServiceName]; name != "" {
			of := finding.Object{Kind: "Service", Namespace: s.Namespace, Name: name}
			w.slicesOf[of] = append(w.slicesOf[of], s)
		}
	}
}

func (w *world) readWorkloads() {
	w.workloadsIn, w.workloadOfRef = map[string][]workload{}, map[finding.Object]*workload{}
	add := func(kind schema.GroupKind, o metav1.Object, t *corev1.PodTemplateSpec, replicas int32) {
		one := workload{refOf(kind, o), t.Labels, &t.Spec, replicas}
		w.workloadsIn[o.GetNamespace()] = append(w.workloadsIn[o.GetNamespace()], one)
		w.workloadOfRef[one.ref] = &one
	}
	for _, d := range w.deployments {
		add(deploymentKind, d, &d.Spec.Template, ptr.Deref(d.Spec.Replicas, 1))
	}
	for _, s := range w.statefulSets {
		add(statefulSetKind, s, &s.Spec.Template, ptr.Deref(s.Spec.Replicas, 1))
	}
	for _, d := range w.daemonSets {
		add(daemonSetKind, d, &d.Spec.Template, max(1, d.Status.DesiredNumberScheduled))
	}
	for _, r := range w.replicaSets {
		if len(r.OwnerReferences) == 0 {
			add(replicaSetKind, r, &r.Spec.Template, ptr.Deref(r.Spec.Replicas, 1))
		}
	}
	for _, j := range w.jobs {
		add(jobKind, j, &j.Spec.Template, 0)
	}
	for _, c := range w.cronJobs {
		add(cronJobKind, c, &c.Spec.JobTemplate.Spec.Template, 0)
	}
}

// workload of a reference, nil where it was not read.
func (w *world) workload(ref finding.Object) *workload { return w.workloadOfRef[ref] }
