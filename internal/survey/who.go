package survey

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

// hops is how often an answer may ask for more: each object read may lead to others.
const hops = 12

// Who reads what a question about ownership looks at, and asks the API server what who
// asks may do. The engine says itself what it lacks, until it lacks nothing more.
func (c Cluster) Who(ctx context.Context, q who.Question, at time.Time) (*snapshot.Set, who.Question, error) {
	s := c.begin(ctx, at)
	q.From = who.FromCluster
	asked := map[who.Ref]bool{}
	decision := who.Decide(&s.set, q)
	for range hops {
		var fresh []who.Ref
		for _, ref := range decision.Wants {
			if !asked[ref] {
				fresh, asked[ref] = append(fresh, ref), true
			}
		}
		if len(fresh) == 0 {
			break
		}
		s.each(fresh)
		decision = who.Decide(&s.set, q)
	}
	q.Self = s.self()
	q.Permits = s.permits(decision.Asks)
	set, err := s.done()
	return set, q, err
}

func (s *survey) each(refs []who.Ref) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, ref := range refs {
		group.Go(func() error {
			s.get(ref.Kind, ref.Namespace, ref.Name)
			return nil
		})
	}
	_ = group.Wait() // what fails is noted in the set
}

// self asks who it is that asks.
func (s *survey) self() *who.Self {
	review := &authenticationv1.SelfSubjectReview{}
	if err := s.Client.Create(s.ctx, review); err != nil {
		s.missAnswer("authentication.k8s.io", "selfsubjectreviews", err)
		return nil
	}
	user := review.Status.UserInfo
	return &who.Self{User: user.Username, Groups: user.Groups}
}

// permits asks what who asks may do, one by one and several at a time. One answer that
// does not come makes all worth nothing: the rest would read as a refusal.
func (s *survey) permits(list []who.Access) []who.Permit {
	answers := make([]who.Permit, len(list))
	group, _ := errgroup.WithContext(s.ctx)
	group.SetLimit(atOnce)
	for i, a := range list {
		group.Go(func() (err error) {
			answers[i], err = s.permit(a)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		s.missAnswer("authorization.k8s.io", "selfsubjectaccessreviews", err)
		return nil
	}
	return slices.Clip(answers)
}

func (s *survey) permit(a who.Access) (who.Permit, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: a.Verb, Group: a.Group, Resource: a.Resource, Subresource: a.Subresource, Namespace: a.Namespace, Name: a.Name,
		},
	}}
	err := s.Client.Create(s.ctx, review)
	return who.Permit{Access: a, Allowed: review.Status.Allowed, Because: review.Status.Reason}, err
}

func (s *survey) missAnswer(group, resource string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set.Miss(snapshot.Unread{Verb: "create", Group: group, Resource: resource, Why: err.Error()})
}
