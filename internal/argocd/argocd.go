// Package argocd holds the few parts of Argo CD's kinds that Demarc reads and
// writes. Importing Argo CD itself would pin the whole Kubernetes line.
package argocd

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// InCluster is the destination server that means the cluster Argo CD runs in.
	InCluster = "https://kubernetes.default.svc"
	// FinalizerForeground makes Argo CD remove what an Application delivered
	// before the Application itself goes. It means the same as the bare name and
	// draws no warning about names without a path.
	FinalizerForeground = "resources-finalizer.argocd.argoproj.io/foreground"
	// ConfigMap holds Argo CD's settings, in its own namespace.
	ConfigMap = "argocd-cm"
	// ImpersonationKey in ConfigMap makes Argo CD sync as the ServiceAccount that
	// the AppProject names.
	ImpersonationKey = "application.sync.impersonation.enabled"
)

var (
	// GroupVersion of Argo CD's kinds.
	GroupVersion = schema.GroupVersion{Group: "argoproj.io", Version: "v1alpha1"}
	// ApplicationKind is the kind that delivers.
	ApplicationKind = GroupVersion.WithKind("Application")
	// ProjectKind is the kind that confines.
	ProjectKind = GroupVersion.WithKind("AppProject")
)

// CRDs are the two definitions that must be there for Demarc to deliver.
var CRDs = []string{ApplicationCRD, ProjectCRD}

const (
	// ApplicationCRD defines Applications.
	ApplicationCRD = "applications.argoproj.io"
	// ProjectCRD defines AppProjects.
	ProjectCRD = "appprojects.argoproj.io"
)

// Finalizers are the names by which Argo CD knows that it must remove what an
// Application delivered; any of them will do.
var Finalizers = []string{
	"resources-finalizer.argocd.argoproj.io",
	FinalizerForeground,
	"resources-finalizer.argocd.argoproj.io/background",
}

// Removes reports whether a finalizer is one of these.
func Removes(finalizer string) bool { return slices.Contains(Finalizers, finalizer) }

// Holds reports whether a finalizer is one of Argo CD's, of hooks or of what was delivered.
func Holds(finalizer string) bool {
	domain, _, _ := strings.Cut(finalizer, "/")
	return strings.HasSuffix(domain, "."+GroupVersion.Group) || strings.HasSuffix(domain, ".argocd."+GroupVersion.Group)
}

// Keeps names the annotation by which an object tells Argo CD not to delete it, empty
// where there is none.
func Keeps(annotations map[string]string) string {
	for _, option := range strings.Split(annotations["argocd.argoproj.io/sync-options"], ",") {
		switch option = strings.TrimSpace(option); option {
		case "Delete=false", "Delete=confirm":
			return option
		}
	}
	if annotations["helm.sh/resource-policy"] == "keep" {
		return "helm.sh/resource-policy: keep"
	}
	return ""
}

// Application is what Demarc reads of an Argo CD Application.
type Application struct {
	Spec struct {
		Source      map[string]any `json:"source"`
		Destination map[string]any `json:"destination"`
	} `json:"spec"`
	// Operation that was asked for and is not over.
	Operation map[string]any `json:"operation"`
	Status    struct {
		Sync struct {
			Status     string `json:"status"`
			Revision   string `json:"revision"`
			ComparedTo struct {
				Source      map[string]any `json:"source"`
				Destination map[string]any `json:"destination"`
			} `json:"comparedTo"`
		} `json:"sync"`
		Health struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"health"`
		// ReconciledAt is when Argo CD last compared.
		ReconciledAt   string      `json:"reconciledAt"`
		OperationState *Operation  `json:"operationState"`
		Conditions     []Condition `json:"conditions"`
		Resources      []Resource  `json:"resources"`
	} `json:"status"`
}

// Operation is the last sync, running or ended.
type Operation struct {
	Phase      string `json:"phase"`
	Message    string `json:"message"`
	FinishedAt string `json:"finishedAt"`
	RetryCount int64  `json:"retryCount"`
	SyncResult struct {
		Revision  string           `json:"revision"`
		Source    map[string]any   `json:"source"`
		Resources []ResourceResult `json:"resources"`
	} `json:"syncResult"`
}

// Condition is one of Argo CD's own conditions, such as ComparisonError.
type Condition struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Resource is one object that an Application tracks.
type Resource struct {
	Group     string `json:"group"`
	Version   string `json:"version"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	Hook      bool   `json:"hook"`
	// RequiresPruning says that Git has it no longer.
	RequiresPruning bool `json:"requiresPruning"`
}

// Decode reads an Application. Fields of other types than Argo CD's own are an
// error, not a crash: what a cluster holds is data.
func Decode(u *unstructured.Unstructured) (*Application, error) {
	var app Application
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &app); err != nil {
		return nil, fmt.Errorf("Application %s/%s is not what Argo CD writes: %w", u.GetNamespace(), u.GetName(), err)
	}
	return &app, nil
}

// ResourceResult is how the sync of one object went.
type ResourceResult struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
}
