package argocd

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TrackingID is the annotation by which Argo CD knows what an Application delivered:
// <application>:<group>/<kind>:<namespace>/<name>. An Application outside of Argo CD's
// own namespace is <namespace>_<application> in it.
const TrackingID = "argocd.argoproj.io/tracking-id"

// instanceLabel is the older way of tracking, in force where there is no annotation.
const instanceLabel = "app.kubernetes.io/instance"

// Tracks reports whether Argo CD tracks an object for an Application, in either of its
// ways. Another's object of the same name is not the Application's. Without a namespace
// the Application is in Argo CD's own.
func Tracks(o metav1.Object, namespace, application string) bool {
	if id := o.GetAnnotations()[TrackingID]; id != "" {
		name, _, _ := strings.Cut(id, ":")
		return name == application || name == namespace+"_"+application
	}
	return o.GetLabels()[instanceLabel] == application
}

// ProjectOf names the AppProject of an Application; without one it is default.
func ProjectOf(app *unstructured.Unstructured) string {
	if name, _, _ := unstructured.NestedString(app.Object, "spec", "project"); name != "" {
		return name
	}
	return "default"
}

// Tracked is what a tracking id says.
type Tracked struct {
	Application string
	// ApplicationNamespace is empty where it is Argo CD's own.
	ApplicationNamespace         string
	Group, Kind, Namespace, Name string
}

// ParseTrackingID reads a tracking id; ok is whether it is one.
func ParseTrackingID(id string) (t Tracked, ok bool) {
	app, rest, _ := strings.Cut(id, ":")
	kind, object, ok := strings.Cut(rest, ":")
	if !ok || app == "" {
		return t, false
	}
	if namespace, name, apart := strings.Cut(app, "_"); apart {
		t.ApplicationNamespace, app = namespace, name
	}
	t.Application = app
	group, kind, withKind := strings.Cut(kind, "/")
	namespace, name, withName := strings.Cut(object, "/")
	t.Group, t.Kind, t.Namespace, t.Name = group, kind, namespace, name
	return t, withKind && withName && t.Application != "" && t.Kind != "" && t.Name != ""
}

// InstanceOf is the Application that an object names in the older way.
func InstanceOf(o metav1.Object) string { return o.GetLabels()[instanceLabel] }
