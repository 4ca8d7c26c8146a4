package review

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"

	"demarc.dev/demarc/internal/verify"
)

// ask puts all questions. The first that is not answered ends it: no answer is neither a
// yes nor a no.
func (r *Runner) ask(ctx context.Context, list []verify.Review) ([]answer, error) {
	answers := make([]answer, len(list))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, q := range list {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			review := asReview(q)
			if err := r.asker.Create(ctx, review); err != nil {
				reviews.WithLabelValues("error").Inc()
				return fmt.Errorf("ask for %s: %w", q, err)
			}
			answers[i] = answer{q, review.Status.Allowed, said(review.Status)}
			reviews.WithLabelValues(map[bool]string{true: "allowed", false: "denied"}[review.Status.Allowed]).Inc()
			return nil
		})
	}
	return answers, group.Wait()
}

func asReview(q verify.Review) *authorizationv1.SubjectAccessReview {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: q.As.User, Groups: q.As.Groups}}
	if review.Spec.User == "" {
		review.Spec.User = verify.ProbeName // somebody of the group
	}
	if q.Request.Path != "" {
		review.Spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: q.Request.Path, Verb: q.Request.Verb}
		return review
	}
	resource, sub, _ := strings.Cut(q.Request.Resource, "/")
	review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{Namespace: q.Namespace, Verb: q.Request.Verb,
		Group: q.Request.Group, Resource: resource, Subresource: sub, Name: q.Request.Name}
	return review
}

// said is why. An authorizer that fails says so beside: with one that gives no opinion the
// answer is the others'.
func said(s authorizationv1.SubjectAccessReviewStatus) string {
	if s.Reason != "" {
		return s.Reason
	}
	return s.EvaluationError
}
