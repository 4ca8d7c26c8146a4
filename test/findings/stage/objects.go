package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/test/findings/incident"
)

type object = *unstructured.Unstructured

// patience is for what takes seconds on an idle machine.
const patience = time.Minute

const who = client.FieldOwner("incident")

// apply writes manifests, each with its status where it has one.
func (s *Scene) apply(ctx context.Context, text string) error {
	list, err := snapshot.Parse([]byte(text))
	if err != nil {
		return fmt.Errorf("manifests: %w", err)
	}
	for _, o := range list {
		if err := s.applyOne(ctx, o); err != nil {
			return fmt.Errorf("apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

func (s *Scene) applyOne(ctx context.Context, o object) error {
	gk := o.GroupVersionKind()
	var mapping *meta.RESTMapping
	err := eventually(ctx, func() (err error) { // a kind that was just made takes a while to be served
		mapping, err = s.on.Client.RESTMapper().RESTMapping(gk.GroupKind(), gk.Version)
		return err
	})
	if err != nil {
		return err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace && o.GetNamespace() == "" {
		o.SetNamespace(s.Namespace())
	}
	status, has := o.Object["status"]
	delete(o.Object, "status")
	write := func() error {
		return s.on.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o.DeepCopy()), who, client.ForceOwnership)
	}
	if err := eventually(ctx, func() error { // a policy or a webhook that was just made may not be ready
		err := write()
		if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
			return final{err}
		}
		return err
	}); err != nil {
		return err
	}
	s.applied = append(s.applied, o)
	if !has {
		return nil
	}
	return s.merge(ctx, o, map[string]any{"status": status}, true)
}

func (s *Scene) merge(ctx context.Context, o object, with any, status bool) error {
	data, err := json.Marshal(with)
	if err != nil {
		return err
	}
	o = o.DeepCopy()
	if status {
		return s.on.Client.Status().Patch(ctx, o, client.RawPatch(types.MergePatchType, data), who)
	}
	return s.on.Client.Patch(ctx, o, client.RawPatch(types.MergePatchType, data), who)
}

func (s *Scene) patch(ctx context.Context, p incident.Patch) error {
	list, err := s.found(ctx, p.Of)
	if err != nil {
		return err
	}
	text, err := json.Marshal(p.With)
	if err != nil {
		return err
	}
	for _, o := range list {
		var with any
		if err := json.Unmarshal([]byte(s.fill(string(text), about(o))), &with); err != nil {
			return err
		}
		if err := s.merge(ctx, o, with, p.Status); err != nil {
			return fmt.Errorf("patch %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// about is what may be filled in of an object.
func about(o object) map[string]string {
	node, _, _ := unstructured.NestedString(o.Object, "spec", "nodeName")
	ip, _, _ := unstructured.NestedString(o.Object, "status", "podIP")
	return map[string]string{"name": o.GetName(), "uid": string(o.GetUID()), "node": node, "ip": ip}
}

func (s *Scene) remove(ctx context.Context, of string) error {
	list, err := s.found(ctx, of)
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := s.on.Client.Delete(ctx, o, client.PropagationPolicy(metav1.DeletePropagationBackground)); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// clear deletes what was applied, the newest first. What is not of the team's namespace is
// waited for, since others would meet it.
func (s *Scene) clear(ctx context.Context) error {
	var errs []error
	for _, e := range s.events {
		errs = append(errs, client.IgnoreNotFound(s.on.Client.Delete(ctx, e)))
	}
	for i := len(s.applied) - 1; i >= 0; i-- {
		o := s.applied[i].DeepCopy()
		o.SetResourceVersion("")
		err := s.on.Client.Delete(ctx, o, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil && !meta.IsNoMatchError(err) {
			errs = append(errs, fmt.Errorf("delete %s %s: %w", o.GetKind(), o.GetName(), err))
		}
	}
	// Who played the kubelet may have been away when a pod was to go.
	now := []client.DeleteAllOfOption{client.InNamespace(s.Namespace()), client.GracePeriodSeconds(0)}
	return errors.Join(append(errs, s.on.Client.DeleteAllOf(ctx, &corev1.Pod{}, now...))...)
}
