package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// ClaimKind is what a claim runs as.
//
// +kubebuilder:validation:Enum=service;worker;job;cronjob;stateful
type ClaimKind string

// Kinds of workload.
const (
	// KindService runs all the time and may have ports: a Deployment.
	KindService ClaimKind = "service"
	// KindWorker runs all the time and has no port: a Deployment.
	KindWorker ClaimKind = "worker"
	// KindJob runs once for each change of the claim: a Job.
	KindJob ClaimKind = "job"
	// KindCronJob runs by a schedule: a CronJob.
	KindCronJob ClaimKind = "cronjob"
	// KindStateful keeps data on volumes: a StatefulSet.
	KindStateful ClaimKind = "stateful"
)

// ClaimRoad is what the paved road carries beside image, replicas, port and env. Each
// field may be left out.
type ClaimRoad struct {
	// Kind of workload. Absent: service. worker has no port; job runs once for each
	// change of the claim, cronjob by a schedule; stateful keeps data on volumes.
	// +optional
	Kind ClaimKind `json:"kind,omitempty"`

	// Ports that the container listens on, instead of port. The service gets a
	// Kubernetes Service of its own name with each of them.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(p, self.exists_one(o, o.port == p.port && (has(o.protocol) ? o.protocol : 'TCP') == (has(p.protocol) ? p.protocol : 'TCP')))",message="two of the ports have the same number and protocol: name it once"
	// +kubebuilder:validation:XValidation:rule="self.all(p, self.exists_one(o, (has(o.servicePort) ? o.servicePort : o.port) == (has(p.servicePort) ? p.servicePort : p.port) && (has(o.protocol) ? o.protocol : 'TCP') == (has(p.protocol) ? p.protocol : 'TCP')))",message="two of the ports are reached on the same servicePort: give each its own"
	Ports []ClaimPort `json:"ports,omitempty"`

	// EnvFrom makes variables of all keys of Secrets and ConfigMaps in the team's
	// namespace. What env names wins.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	EnvFrom []ClaimEnvFrom `json:"envFrom,omitempty"`

	// Command replaces the image's entrypoint. It is run as it stands, by no shell.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=4096
	Command []string `json:"command,omitempty"`
	// Args replace the image's arguments, or are given to command.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=1024
	Args []string `json:"args,omitempty"`

	// Probes ask the container how it is. Absent: with a port, it is ready when it
	// takes connections on the first one.
	// +optional
	Probes *ClaimProbes `json:"probes,omitempty"`

	// Autoscaling keeps the number of replicas between two bounds, instead of replicas.
	// +optional
	Autoscaling *ClaimAutoscaling `json:"autoscaling,omitempty"`

	// Expose makes the service reachable from outside of the cluster under a host.
	// +optional
	Expose *ClaimExpose `json:"expose,omitempty"`

	// Disruption bounds how many replicas are taken down at a time when nodes are
	// drained. Absent: no bound. It never keeps a node from being drained.
	// +optional
	Disruption *ClaimDisruption `json:"disruption,omitempty"`

	// Spread says over what replicas are spread.
	// +optional
	Spread *ClaimSpread `json:"spread,omitempty"`

	// Files that the container finds at their paths. Claims can be read by every team's
	// people: what is secret belongs in secrets.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=8
	Files []ClaimFile `json:"files,omitempty"`

	// Secrets that are kept from the platform's store, or mounted as folders. For
	// variables name them in env or envFrom.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Secrets []ClaimSecret `json:"secrets,omitempty"`

	// ServiceAccount gives the service an account of its own, named after the claim.
	// Absent: it has none, and no token either way unless asked for.
	// +optional
	ServiceAccount *ClaimServiceAccount `json:"serviceAccount,omitempty"`

	// Labels on all that the claim becomes, pods included.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",message="each key must be one that Kubernetes takes for a label: [prefix/]name, the name of at most 63 letters, digits, '-', '_' and '.'"
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('demarc.dev/') || k.startsWith('app.kubernetes.io/') || k.startsWith('argocd.argoproj.io/') || k.startsWith('pod-security.kubernetes.io/'))",message="labels of demarc.dev, app.kubernetes.io, argocd.argoproj.io and pod-security.kubernetes.io are set by the road itself: use others"
	Labels map[string]ClaimLabelValue `json:"labels,omitempty"`

	// Annotations on the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",message="each key must be one that Kubernetes takes for an annotation: [prefix/]name, the name of at most 63 letters, digits, '-', '_' and '.'"
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('demarc.dev/') || k.startsWith('argocd.argoproj.io/'))",message="annotations of demarc.dev and argocd.argoproj.io are not a claim's to set: use others"
	Annotations map[string]ClaimAnnotationValue `json:"annotations,omitempty"`

	// Metrics has Prometheus scrape the service, and alert when it is not well.
	// +optional
	Metrics *ClaimMetrics `json:"metrics,omitempty"`

	// Job is how the kinds job and cronjob run.
	// +optional
	Job *ClaimJob `json:"job,omitempty"`

	// Volumes of kind stateful. Each replica has its own; they stay when the claim goes,
	// and go with the team's namespace. They cannot be changed.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=6
	Volumes []ClaimVolume `json:"volumes,omitempty"`
}

// ClaimLabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')",message="must be a value that Kubernetes takes for a label: at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
type ClaimLabelValue string

// ClaimAnnotationValue is the value of an annotation.
//
// +kubebuilder:validation:MaxLength=1024
type ClaimAnnotationValue string

// ClaimAutoscaling keeps the number of replicas between two bounds.
//
// +kubebuilder:validation:XValidation:rule="(has(self.min) ? self.min : 1) <= self.max",message="autoscaling.max must not be below autoscaling.min (which is 1 where it is left out)"
type ClaimAutoscaling struct {
	// Min is how many replicas run at least. Absent: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Min *int32 `json:"min,omitempty"`
	// Max is how many run at most.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Max int32 `json:"max"`
	// CPU is how much of its CPU request a replica uses on average before there is one
	// more, in percent. Absent: 80, where memory says nothing either.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	CPU *int32 `json:"cpu,omitempty"`
	// Memory is the same for its memory request, in percent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Memory *int32 `json:"memory,omitempty"`
}

// ClaimDisruption bounds disruptions that somebody intends, such as drained nodes.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.minAvailable) && has(self.maxUnavailable))",message="set minAvailable or maxUnavailable, not both"
type ClaimDisruption struct {
	// MinAvailable is how many replicas, or what part of them such as 50%, stay up. It
	// must leave room for one to go.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? int(self) >= 0 && int(self) <= 1000 : string(self).matches('^([0-9]|[1-9][0-9])%$')",message="must be a number of replicas from 0, or a part of them from 0% to 99%"
	MinAvailable *intstr.IntOrString `json:"minAvailable,omitempty"`
	// MaxUnavailable is how many replicas, or what part of them, are down at a time.
	// Absent, and minAvailable too: 1.
	// +optional
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? int(self) >= 1 && int(self) <= 1000 : string(self).matches('^([1-9]|[1-9][0-9]|100)%$')",message="must be a number of replicas from 1, or a part of them from 1% to 100%: with none no node could be drained"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// ClaimSpread says over what replicas are spread.
type ClaimSpread struct {
	// Over node, zone, or both. Absent: both.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Over []SpreadOver `json:"over,omitempty"`
	// Required keeps a replica from running where it would stand beside too many others.
	// Absent: it runs all the same.
	// +optional
	Required bool `json:"required,omitempty"`
}

// SpreadOver is what replicas are spread over.
//
// +kubebuilder:validation:Enum=node;zone
type SpreadOver string

// What replicas are spread over.
const (
	OverNodes SpreadOver = "node"
	OverZones SpreadOver = "zone"
)

// ClaimJob is how a job runs.
type ClaimJob struct {
	// Schedule by which kind cronjob runs: five fields of cron, or @hourly, @daily,
	// @weekly, @monthly.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|[-0-9*/,A-Za-z?]+( [-0-9*/,A-Za-z?]+){4})$')",message="must be five fields of cron (minute hour day month weekday) such as '30 2 * * *', or @hourly, @daily, @weekly, @monthly; the time zone goes into timeZone"
	Schedule string `json:"schedule,omitempty"`
	// TimeZone of the schedule, such as Europe/Berlin. Absent: that of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*)*$') && self != 'Local'",message="must be a name of the time zone database, such as Europe/Berlin or Etc/UTC"
	TimeZone string `json:"timeZone,omitempty"`
	// Concurrency is what happens when a run is due and the one before is not over.
	// Absent: Forbid, which leaves it out.
	// +optional
	// +kubebuilder:validation:Enum=Forbid;Allow;Replace
	Concurrency string `json:"concurrency,omitempty"`
	// Suspend makes no runs as long as it is true.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// StartWithinSeconds of its time a run begins, or it is left out. Absent: 300.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	StartWithinSeconds *int64 `json:"startWithinSeconds,omitempty"`
	// Retries of a run that fails. Absent: 3.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Retries *int32 `json:"retries,omitempty"`
	// TimeoutSeconds after which a run is ended and counts as failed. Absent: never.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty"`
}

// ClaimVolume is a volume of each replica.
type ClaimVolume struct {
	// Name of the volume.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && self != 'files' && !self.startsWith('secret-')",message="must be lower-case letters, digits and '-'; files and secret-… are taken"
	Name string `json:"name"`
	// Path at which the container finds it.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^(/[A-Za-z0-9._-]+)+$') && !self.contains('/..')",message="must be an absolute path such as /var/lib/data, without '..'"
	Path string `json:"path"`
	// Size, such as 10Gi.
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",message="size must be a quantity above 0, such as 10Gi"
	Size *Quantity `json:"size"`
	// Class of storage. Absent: the cluster's default.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	Class string `json:"class,omitempty"`
}
