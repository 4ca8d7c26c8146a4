package stage

import (
	"context"
	"time"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/test/findings/keep"
)

// Look reads the cluster as demarc triage does, of Secrets the metadata alone, and says what of it is the scene's.
func (s *Scene) Look(ctx context.Context) (*snapshot.Set, keep.Scene, error) {
	set, err := s.survey.Triage(ctx, time.Now(), survey.Triaged{})
	if err != nil {
		return nil, keep.Scene{}, err
	}
	what := keep.Scene{
		Team: s.Team, Namespace: s.Namespace(), Also: s.Side.Keep, Begin: s.Begin, Read: s.Read,
		Places: map[string]string{s.on.Box.Dir(): "/srv/sandbox"},
	}
	for _, o := range s.applied {
		what.Applied = append(what.Applied, keep.Ref{Kind: o.GroupVersionKind().GroupKind(), Namespace: o.GetNamespace(), Name: o.GetName()})
	}
	for i, name := range what.Also {
		what.Also[i] = s.fill(name, nil)
	}
	return set, what, nil
}
