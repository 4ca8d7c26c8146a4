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
