package guardrail

import (
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// Target names kinds that rules judge.
type Target string

// Targets of rules.
const (
	// Pods and all that carries a template of one, and the ways to change a pod.
	Pods Target = "pods"
	// Plain pods, as people make them.
	Plain Target = "plain-pods"
	// Services in the wider sense: what runs on and on.
	Running Target = "running"
	// Deployments and kubectl scale of one.
	Deployments Target = "deployments"
	// Replicated is what runs in a number that people set.
	Replicated Target = "replicated"
	// Replicas are the numbers themselves, by kubectl scale too.
	Replicas    Target = "replicas"
	Autoscalers Target = "autoscalers"
	Jobs        Target = "jobs"
	CronJobs    Target = "cronjobs"
	Claims      Target = "claims"
	Services    Target = "services"
	Ingresses   Target = "ingresses"
	// Routes are those of the Gateway API that have hosts.
	Routes   Target = "routes"
	Budgets  Target = "budgets"
	Roles    Target = "roles"
	Bindings Target = "bindings"
)

// Targets are the resources of each.
var Targets = map[Target][]admissionv1.Rule{
	Pods: {
		resources("", "pods", "pods/ephemeralcontainers", "pods/resize", "replicationcontrollers"),
		resources("apps", "deployments", "statefulsets", "daemonsets", "replicasets"),
		resources("batch", "jobs", "cronjobs"),
	},
	Plain:       {resources("", "pods")},
	Running:     {resources("apps", "deployments", "statefulsets", "daemonsets")},
	Deployments: {resources("apps", "deployments", "deployments/scale")},
	Replicated:  {resources("apps", "deployments", "statefulsets")},
	Replicas: {
		resources("", "replicationcontrollers", "replicationcontrollers/scale"),
		resources("apps", "deployments", "deployments/scale", "statefulsets", "statefulsets/scale", "replicasets", "replicasets/scale"),
	},
	Autoscalers: {resourcesOf("autoscaling", "v2", "horizontalpodautoscalers")},
	Jobs:        {resources("batch", "jobs")},
	CronJobs:    {resources("batch", "cronjobs")},
	Claims:      {resources("", "persistentvolumeclaims")},
	Services:    {resources("", "services")},
	Ingresses:   {resources("networking.k8s.io", "ingresses")},
	Routes:      {resourcesOf("gateway.networking.k8s.io", "v1", "httproutes", "grpcroutes", "tlsroutes"), resourcesOf("gateway.networking.k8s.io", "v1alpha2", "tlsroutes"), resourcesOf("gateway.networking.k8s.io", "v1alpha3", "tlsroutes")},
	Budgets:     {resources("policy", "poddisruptionbudgets")},
	Roles:       {resources("rbac.authorization.k8s.io", "roles")},
	Bindings:    {resources("rbac.authorization.k8s.io", "rolebindings")},
}

// Resources that a rule judges, as its policy names them; writing one is a create or an
// update.
func (r Rule) Resources() (all []admissionv1.Rule) {
	for _, t := range r.Targets {
		all = append(all, Targets[t]...)
	}
	return slices.Clip(all)
}

func resources(group string, names ...string) admissionv1.Rule {
	return resourcesOf(group, "v1", names...)
}

func resourcesOf(group, version string, names ...string) admissionv1.Rule {
	return admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: names}
}
