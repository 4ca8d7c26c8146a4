package install

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// ErrOtherOperator means that the cluster has an operator that was not started here. To go on would stop it.
var ErrOtherOperator = errors.New("Demarc runs on this cluster already with an operator of its own: nothing was changed; " +
	"to see it: kubectl get demarc")

// checkAlone refuses a cluster on which somebody else installed Demarc. What is installed here has no replicas: its
// operator runs beside the cluster.
func (d *Demarc) checkAlone(ctx context.Context) error {
	c, err := d.client()
	if err != nil {
		return err
	}
	var other appsv1.Deployment
	err = c.Get(ctx, types.NamespacedName{Namespace: Namespace, Name: Operator}, &other)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for Deployment %s/%s: %w", Namespace, Operator, err)
	case other.Spec.Replicas == nil || *other.Spec.Replicas > 0:
		return ErrOtherOperator
	default:
		return nil
	}
}
