package stage

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kubelets is the component that plays them.
const kubelets = "kwok"

// stop ends a component until the end of the scene.
func (s *Scene) stop(ctx context.Context, name string) error {
	s.stopped = append(s.stopped, name)
	return s.on.Box.Stop(ctx, name)
}

// start has a component run again. The kubelets that are played take a node when its lease is
// theirs, and do not see what became of its pods before that: the leases of who went are
// taken away, so that this is at once, and waited for.
func (s *Scene) start(ctx context.Context, name string) error {
	if name != kubelets {
		return s.on.Box.Start(ctx, name)
	}
	leases := []client.DeleteAllOfOption{client.InNamespace(corev1.NamespaceNodeLease)}
	if err := s.on.Client.DeleteAllOf(ctx, &coordinationv1.Lease{}, leases...); err != nil {
		return fmt.Errorf("take away the leases of nodes: %w", err)
	}
	if err := s.on.Box.Start(ctx, name); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		nodes := &corev1.NodeList{}
		if err := s.on.Client.List(ctx, nodes); err != nil {
			return err
		}
		for _, n := range nodes.Items {
			if err := s.on.Client.Get(ctx, types.NamespacedName{Namespace: corev1.NamespaceNodeLease, Name: n.Name}, &coordinationv1.Lease{}); err != nil {
				return fmt.Errorf("nobody plays the kubelet of %s: %w", n.Name, err)
			}
		}
		return nil
	})
}
