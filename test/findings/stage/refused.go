package stage

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/test/findings/incident"
)

// refused asks, and changes nothing, until it is refused in these words.
func (s *Scene) refused(ctx context.Context, r incident.Refused) error {
	return eventually(ctx, func() error {
		err := s.ask(ctx, r.Of)
		if err == nil || !strings.Contains(err.Error(), s.fill(r.Says, nil)) {
			return fmt.Errorf("it is not refused yet: %v", err)
		}
		return nil
	})
}

func (s *Scene) ask(ctx context.Context, of string) error {
	if of == "" {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace(), GenerateName: "asked-"}}
		pod.Spec.Containers = []corev1.Container{{Name: "app", Image: "registry.example.com/shop/web:1.4.2"}}
		return s.on.Client.Create(ctx, pod, client.DryRunAll)
	}
	list, err := s.found(ctx, of)
	if err != nil {
		return final{err}
	}
	touched := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"asked":"yes"}}}`))
	return s.on.Client.Patch(ctx, list[0], touched, client.DryRunAll)
}
