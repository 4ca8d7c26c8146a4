package main

import (
	"context"

	"demarc.dev/demarc/sandbox/install"
)

const newVersion = "demarc.dev/v1alpha1"

// after plays the same two services under the current design.
func (s *stage) after(ctx context.Context) error {
	s.title("After: one object for the team, one for each service")
	if _, err := install.Run(ctx, s.sandbox, install.Options{Root: s.root, Out: s.out}); err != nil {
		return err
	}
	if err := applyFile(ctx, s.client, "after/payments.yaml"); err != nil {
		return err
	}
	for _, o := range []struct{ kind, name, is string }{
		{"Tenant", "payments", "the team: namespace, access, budget"},
		{"ServiceClaim", "payments", "its first service"},
		{"ServiceClaim", "refunds", "one more"},
	} {
		live := object(newVersion, o.kind, "", o.name)
		if err := await(ctx, s.client, live, ready); err != nil {
			return err
		}
		s.say("%s %s, %s:", o.kind, o.name, o.is)
		if err := s.show(live, "Ready"); err != nil {
			return err
		}
	}
	for _, service := range []string{"payments", "refunds"} {
		if err := s.showPods(ctx, service); err != nil {
			return err
		}
	}
	return s.showLabel(ctx)
}
