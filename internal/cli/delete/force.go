package delete

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/takedown"
)

// mayForce asks before anything is done whether the caller holds the verb force. The
// policy asks it again.
func mayForce(ctx context.Context, c client.Writer, object client.Object) error {
	asked := &authorizationv1.ResourceAttributes{Group: v1alpha1.SchemeGroupVersion.Group, Verb: "force", Resource: "tenants"}
	canI := "kubectl auth can-i force tenants.demarc.dev"
	if claim, ok := object.(*v1alpha1.ServiceClaim); ok {
		asked.Resource, asked.Namespace = "serviceclaims", v1alpha1.NamespaceOf(claim.Spec.Team)
		canI = "kubectl auth can-i force serviceclaims.demarc.dev -n " + asked.Namespace
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: asked}}
	if err := c.Create(ctx, review); err != nil {
		return exit.Unreadable(err, "ask whether you hold the verb force")
	}
	if review.Status.Allowed {
		return nil
	}
	where := "on " + asked.Resource
	if asked.Namespace != "" {
		where += " in namespace " + asked.Namespace
	}
	return exit.Refused("you may not force this: it needs the verb force "+where+"; nothing was changed",
		"ask who holds it (the platform team), or delete without --force; to see it: "+canI)
}

// force marks what is being deleted. Gone meanwhile is no error.
func force(ctx context.Context, o *Options, c client.Client, looked client.Object) error {
	object := o.Kind.New()
	err := c.Get(ctx, client.ObjectKeyFromObject(looked), object)
	if err == nil && object.GetUID() != looked.GetUID() {
		return nil
	}
	if err == nil {
		err = takedown.Annotate(ctx, c, o.Kind, object, v1alpha1.AnnotationForce, o.Reason)
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return exit.Add(exit.Unreadable(err, "read "+o.Kind.Word+" "+o.Name),
		"The deletion was asked for and goes on in order, without force: %s explain delete %s/%s", o.Program, o.Kind.Word, o.Name)
}
