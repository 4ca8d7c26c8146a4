package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/snapshot"
)

const (
	// RevisionAnnotation is where a Deployment's controller counts its ReplicaSets.
	RevisionAnnotation = "deployment.kubernetes.io/revision"
	// again lists the numbers that a ReplicaSet had before it was rolled back to.
	again = "deployment.kubernetes.io/revision-history"
)

// kept is a revision with the pods that it makes.
type kept struct {
	Revision
	pods corev1.PodSpec
}

// replicaSets are a Deployment's revisions.
func (a *Answer) replicaSets(set *snapshot.Set, name string) []Revision {
	if a.unread(set, replicaSetKind, a.Namespace, "", "Which revisions there are is") {
		return nil
	}
	current := ""
	if d := set.Get(deploymentKind, a.Namespace, name); d != nil {
		current = d.GetAnnotations()[RevisionAnnotation]
	}
	var list []kept
	for _, o := range set.Of(replicaSetKind) {
		if !madeBy(o, a.Namespace, deploymentKind, name) {
			continue
		}
		rs, err := snapshot.Into[appsv1.ReplicaSet](o)
		number, _ := strconv.ParseInt(o.GetAnnotations()[RevisionAnnotation], 10, 64)
		if err != nil || number == 0 {
			continue
		}
		one := kept{Revision{Number: number, Object: "ReplicaSet/" + rs.Name, Pods: rs.Status.Replicas,
			Current: rs.Annotations[RevisionAnnotation] == current}, rs.Spec.Template.Spec}
		if rs.Annotations[again] == "" { // else it was made for an earlier number
			one.At = made(rs)
		}
		list = append(list, one)
	}
	return a.sorted(list)
}

// controllerRevisions are a StatefulSet's.
func (a *Answer) controllerRevisions(set *snapshot.Set, name string) []Revision {
	if a.unread(set, controllerKind, a.Namespace, "", "Which revisions there are is") {
		return nil
	}
	current := ""
	if o := set.Get(statefulSetKind, a.Namespace, name); o != nil {
		if s, err := snapshot.Into[appsv1.StatefulSet](o); err == nil {
			current = s.Status.UpdateRevision
		}
	}
	var list []kept
	for _, o := range set.Of(controllerKind) {
		if !madeBy(o, a.Namespace, statefulSetKind, name) {
			continue
		}
		r, err := snapshot.Into[appsv1.ControllerRevision](o)
		var data struct {
			Spec struct {
				Template corev1.PodTemplateSpec `json:"template"`
			} `json:"spec"`
		}
		if err != nil || json.Unmarshal(r.Data.Raw, &data) != nil {
			continue
		}
		list = append(list, kept{Revision{Number: r.Revision, Object: "ControllerRevision/" + r.Name, At: made(r), Current: r.Name == current}, data.Spec.Template.Spec})
	}
	return a.sorted(list)
}

func madeBy(o snapshot.Object, namespace string, kind schema.GroupKind, name string) bool {
	owner := metav1.GetControllerOfNoCopy(o)
	return o.GetNamespace() == namespace && owner != nil && owner.Kind == kind.Kind && owner.Name == name
}

// sorted puts the newest first, and says of each what differs from the current one.
func (a *Answer) sorted(list []kept) []Revision {
	slices.SortFunc(list, func(x, y kept) int { return cmp.Or(cmp.Compare(y.Number, x.Number), cmp.Compare(x.Object, y.Object)) })
	at := slices.IndexFunc(list, func(k kept) bool { return k.Current })
	if at < 0 && len(list) > 0 { // its object does not say: it is the last that was made
		at, list[0].Current = 0, true
	}
	out := make([]Revision, 0, len(list))
	for _, k := range list {
		k.Image = Main(k.pods, a.Claim).Image
		if !k.Current {
			k.Differs = differs(k.pods, list[at].pods, a.Claim)
		}
		out = append(out, k.Revision)
	}
	if len(out) == 0 {
		a.note("No revision is there yet.")
	}
	return out
}

// Main is the container that is named after the claim, or the first: others are sidecars.
func Main(pods corev1.PodSpec, name string) corev1.Container {
	for _, c := range pods.Containers {
		if c.Name == name {
			return c
		}
	}
	if len(pods.Containers) == 0 {
		return corev1.Container{}
	}
	return pods.Containers[0]
}

// differs lists what of one kind of pods is other than of another, beside the image.
func differs(one, other corev1.PodSpec, name string) (out []string) {
	a, b := Main(one, name), Main(other, name)
	for _, part := range []struct {
		what string
		a, b any
	}{
		{"env", a.Env, b.Env}, {"envFrom", a.EnvFrom, b.EnvFrom}, {"command", a.Command, b.Command}, {"args", a.Args, b.Args},
		{"ports", a.Ports, b.Ports}, {"resources", a.Resources, b.Resources}, {"files", a.VolumeMounts, b.VolumeMounts},
		{"probes", []*corev1.Probe{a.ReadinessProbe, a.LivenessProbe, a.StartupProbe}, []*corev1.Probe{b.ReadinessProbe, b.LivenessProbe, b.StartupProbe}},
	} {
		if !equality.Semantic.DeepEqual(part.a, part.b) {
			out = append(out, part.what)
		}
	}
	if n, m := len(one.Containers), len(other.Containers); n != m {
		out = append(out, fmt.Sprintf("containers (%d, now %d)", n, m))
	}
	return out
}
