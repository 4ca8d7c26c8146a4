package v1alpha1

// ClaimPort is a port that the container listens on.
type ClaimPort struct {
	// Name of the port, by which probes, expose and metrics name it.
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]+(-[a-z0-9]+)*$') && self.matches('[a-z]')",message="must be at most 15 lower-case letters, digits and single '-' between them, with a letter among them, such as http"
	Name string `json:"name"`
	// Port that the container listens on.
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="must be between 1 and 65535: the one that the container listens on"
	Port int32 `json:"port"`
	// Protocol. Absent: TCP.
	// +optional
	// +kubebuilder:validation:Enum=TCP;UDP;SCTP
	Protocol string `json:"protocol,omitempty"`
	// ServicePort on which others reach it. Absent: the same number.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",message="must be between 1 and 65535: the one that others reach it on"
	ServicePort *int32 `json:"servicePort,omitempty"`
}

// ClaimEnvFrom names an object of which all keys become variables.
//
// +kubebuilder:validation:XValidation:rule="has(self.secretRef) != has(self.configMapRef)",message="set exactly one of secretRef and configMapRef"
type ClaimEnvFrom struct {
	// Prefix of the variables' names.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_]*$')",message="must begin a name of an environment variable: letters, digits and '_', not beginning with a digit"
	Prefix string `json:"prefix,omitempty"`
	// SecretRef is a Secret in the team's namespace.
	// +optional
	SecretRef *ClaimObjectRef `json:"secretRef,omitempty"`
	// ConfigMapRef is a ConfigMap in the team's namespace.
	// +optional
	ConfigMapRef *ClaimObjectRef `json:"configMapRef,omitempty"`
}

// ClaimObjectRef names an object in the team's namespace.
type ClaimObjectRef struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="must be a name: lower-case letters, digits, '-' and '.'"
	Name string `json:"name"`
}

// ClaimResources are what each replica asks for, and may use at most. A budget in a claim
// is refused with a word of where it belongs, and not silently dropped.
//
// +kubebuilder:validation:XValidation:rule="!has(self.cpu) && !has(self.memory) && !has(self.pods)",message="the budget belongs to the team, not to a service: move cpu, memory and pods to spec.resources of the Tenant"
// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || !has(self.requests.cpu) || !has(self.limits.cpu) || !isQuantity(string(self.requests.cpu)) || !isQuantity(string(self.limits.cpu)) || !quantity(string(self.requests.cpu)).isGreaterThan(quantity(string(self.limits.cpu)))",message="requests.cpu must not be above limits.cpu: such a pod is refused"
// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || !has(self.requests.memory) || !has(self.limits.memory) || !isQuantity(string(self.requests.memory)) || !isQuantity(string(self.limits.memory)) || !quantity(string(self.requests.memory)).isGreaterThan(quantity(string(self.limits.memory)))",message="requests.memory must not be above limits.memory: such a pod is refused"
type ClaimResources struct {
	// CPU is refused: the budget belongs to the Tenant.
	// +optional
	CPU *Quantity `json:"cpu,omitempty"`
	// Memory is refused: the budget belongs to the Tenant.
	// +optional
	Memory *Quantity `json:"memory,omitempty"`
	// Pods is refused: the budget belongs to the Tenant.
	// +optional
	Pods *Quantity `json:"pods,omitempty"`
	// Requests are what each replica is sure to have. Absent: 100m of CPU, 128Mi of memory.
	// +optional
	Requests *ClaimAmounts `json:"requests,omitempty"`
	// Limits are what each replica uses at most. Absent: no limit of CPU, 256Mi of memory
	// or what it requests, whichever is more.
	// +optional
	Limits *ClaimAmounts `json:"limits,omitempty"`
}

// ClaimAmounts are amounts of CPU and memory.
type ClaimAmounts struct {
	// CPU, such as 500m or 2.
	// +optional
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",message="cpu must be a quantity above 0, such as 500m or 2"
	CPU *Quantity `json:"cpu,omitempty"`
	// Memory, such as 512Mi.
	// +optional
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && !quantity(string(self)).isLessThan(quantity('4Mi'))",message="memory must be a quantity of 4Mi or more, such as 512Mi; 512m is half a byte"
	Memory *Quantity `json:"memory,omitempty"`
}

// ClaimProbes ask the container how it is.
type ClaimProbes struct {
	// Readiness: as long as it fails the replica gets no requests. Absent: with a port, the
	// first one takes connections.
	// +optional
	Readiness *ClaimProbe `json:"readiness,omitempty"`
	// Liveness: when it fails the container is restarted. Absent: only when it ends. It
	// should ask less than readiness, and nothing of other services.
	// +optional
	Liveness *ClaimProbe `json:"liveness,omitempty"`
	// Startup holds the other two back until it passes once. Absent, with liveness: the
	// same question for up to five minutes.
	// +optional
	Startup *ClaimProbe `json:"startup,omitempty"`
}

// ClaimProbe is one question, and how often it is asked.
//
// +kubebuilder:validation:XValidation:rule="[has(self.http), has(self.tcp), has(self.grpc), has(self.exec)].filter(x, x).size() == 1",message="set exactly one of http, tcp, grpc and exec"
type ClaimProbe struct {
	// HTTP asks for a path and takes an answer below 400.
	// +optional
	HTTP *ClaimHTTPProbe `json:"http,omitempty"`
	// TCP opens a connection.
	// +optional
	TCP *ClaimTCPProbe `json:"tcp,omitempty"`
	// GRPC asks the standard health service.
	// +optional
	GRPC *ClaimGRPCProbe `json:"grpc,omitempty"`
	// Exec runs a command in the container and takes exit code 0.
	// +optional
	Exec *ClaimExecProbe `json:"exec,omitempty"`
	// InitialDelaySeconds before the first time. Absent: 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	InitialDelaySeconds *int32 `json:"initialDelaySeconds,omitempty"`
	// PeriodSeconds between two times. Absent: 10; 5 for startup.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	PeriodSeconds *int32 `json:"periodSeconds,omitempty"`
	// TimeoutSeconds for the answer. Absent: 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
	// FailureThreshold is how often in a row it fails before that counts. Absent: 3; 6 for
	// liveness, 60 for startup.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
}

// ClaimHTTPProbe asks for a path.
type ClaimHTTPProbe struct {
	// Path that is asked for. Absent: /.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^/[!-~]*$')",message="path must begin with '/' and be without blanks"
	Path string `json:"path,omitempty"`
	// Port by its name. Absent: the first.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a port: lower-case letters, digits and '-'"
	Port string `json:"port,omitempty"`
}

// ClaimTCPProbe opens a connection.
type ClaimTCPProbe struct {
	// Port by its name. Absent: the first.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a port: lower-case letters, digits and '-'"
	Port string `json:"port,omitempty"`
}

// ClaimGRPCProbe asks the standard health service.
type ClaimGRPCProbe struct {
	// Port by its name. Absent: the first.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a port: lower-case letters, digits and '-'"
	Port string `json:"port,omitempty"`
	// Service that is asked for. Absent: the server as a whole.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]*$')",message="must be the name of a gRPC service, without blanks"
	Service string `json:"service,omitempty"`
}

// ClaimExecProbe runs a command.
type ClaimExecProbe struct {
	// Command that is run, by no shell.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=4096
	Command []string `json:"command"`
}
