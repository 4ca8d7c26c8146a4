package main

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

func (s *stage) title(text string) { fmt.Fprintf(s.out, "\n== %s ==\n", text) }

func (s *stage) say(format string, args ...any) { fmt.Fprintf(s.out, "\n"+format+"\n", args...) }

// show prints an object's conditions as its status holds them.
func (s *stage) show(live *unstructured.Unstructured, types ...string) error {
	text, err := lines(live, types...)
	if err == nil {
		s.say("%s", strings.Join(text, "\n"))
	}
	return err
}

// showPods waits until all pods of a service are ready, and says how many.
func (s *stage) showPods(ctx context.Context, service string) error {
	live := object("apps/v1", "Deployment", namespace, service)
	var want, have int64
	err := await(ctx, s.client, live, func(u *unstructured.Unstructured) (bool, error) {
		want, _, _ = unstructured.NestedInt64(u.Object, "spec", "replicas")
		have, _, _ = unstructured.NestedInt64(u.Object, "status", "readyReplicas")
		return want > 0 && have == want, nil
	})
	if err == nil {
		s.say("Deployment %s in %s: %d/%d pods ready.", service, namespace, have, want)
	}
	return err
}

// showController says which claim the old design made the one owner of the team's namespace.
func (s *stage) showController(ctx context.Context) error {
	live := object("v1", "Namespace", "", namespace)
	if err := s.client.Get(ctx, client.ObjectKeyFromObject(live), live); err != nil {
		return err
	}
	owner := metav1.GetControllerOf(live)
	if owner == nil {
		return fmt.Errorf("namespace %s has no controller, though the old design gives it one", namespace)
	}
	s.say("Namespace %s has one controller: %s %s.", namespace, owner.Kind, owner.Name)
	return nil
}

// showLabel says whose the namespace is under the current design.
func (s *stage) showLabel(ctx context.Context) error {
	live := object("v1", "Namespace", "", namespace)
	if err := s.client.Get(ctx, client.ObjectKeyFromObject(live), live); err != nil {
		return err
	}
	if owner := metav1.GetControllerOf(live); owner != nil {
		return fmt.Errorf("namespace %s has a controller, %s %s, though the current design sets none", namespace, owner.Kind, owner.Name)
	}
	s.say("Namespace %s has no controller; its label %s is %s.", namespace, v1alpha1.LabelOwner, live.GetLabels()[v1alpha1.LabelOwner])
	return nil
}
