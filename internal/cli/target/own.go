package target

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
)

// atOnce is how many questions about rights are asked at the same time.
const atOnce = 8

// Own keeps the teams in whose namespace the caller may read pods, each once, by name.
func Own(ctx context.Context, c client.Writer, teams []string) (mine []string, err error) {
	teams = slices.Compact(slices.Sorted(slices.Values(teams)))
	answers := make([]bool, len(teams))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, team := range teams {
		group.Go(func() (err error) {
			answers[i], err = may(ctx, c, "get", v1alpha1.NamespaceOf(team))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, exit.Unreadable(err, "ask which teams are yours")
	}
	for i, team := range teams {
		if answers[i] {
			mine = append(mine, team)
		}
	}
	return mine, nil
}

// Everywhere says whether the caller may list pods in all namespaces.
func Everywhere(ctx context.Context, c client.Writer) (bool, error) {
	all, err := may(ctx, c, "list", "")
	return all, exit.Unreadable(err, "ask what you may read")
}

// may asks whether the caller may do that with pods.
func may(ctx context.Context, c client.Writer, verb, namespace string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Resource: "pods"}}}
	err := c.Create(ctx, review)
	return review.Status.Allowed, err
}
