package stage

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/test/findings/incident"
)

// event writes an Event about objects, as the kubelet or another component does.
func (s *Scene) event(ctx context.Context, e incident.Event) error {
	list, err := s.found(ctx, e.Of)
	if err != nil {
		return err
	}
	at := metav1.NewTime(time.Now())
	if e.Ago.Duration > 0 {
		at = metav1.NewTime(s.Read.Add(-e.Ago.Duration))
	}
	for i, o := range list {
		if e.Node != "" && about(o)["node"] != e.Node {
			continue
		}
		namespace := cmp.Or(o.GetNamespace(), metav1.NamespaceDefault)
		from := corev1.EventSource{Component: cmp.Or(e.From, "kubelet")}
		if e.From == "" {
			from.Host = cmp.Or(about(o)["node"], o.GetName())
		}
		uid := o.GetUID()
		if o.GetKind() == "Node" {
			uid = types.UID(o.GetName()) // as kubelets write it
		}
		made := &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s.%x", o.GetName(), time.Now().UnixNano()+int64(i))},
			InvolvedObject: corev1.ObjectReference{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), UID: uid, ResourceVersion: o.GetResourceVersion()},
			Reason:         e.Reason, Message: s.fill(e.Message, about(o)), Type: cmp.Or(e.Type, corev1.EventTypeWarning),
			Source: from, ReportingController: from.Component, ReportingInstance: from.Host,
			FirstTimestamp: at, LastTimestamp: at, Count: 1,
		}
		if err := s.on.Client.Create(ctx, made); err != nil {
			return fmt.Errorf("event %s of %s: %w", e.Reason, o.GetName(), err)
		}
		s.events = append(s.events, made)
	}
	return nil
}
