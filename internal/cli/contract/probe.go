package contract

import (
	"context"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/verify"
)

// probe asks the API server itself, as each persona.
func (o *VerifyOptions) probe(ctx context.Context, set *snapshot.Set, q verify.Question) ([]verify.Probed, error) {
	config, err := o.Config()
	if err != nil {
		return nil, err
	}
	if config.Impersonate.UserName != "" {
		return nil, exit.Failed("--probe acts as others, and you act as "+config.Impersonate.UserName+" already", "leave --as out, or --probe")
	}
	c, err := o.Client()
	if err != nil {
		return nil, err
	}
	return survey.Cluster{Client: c}.Probe(ctx, config, verify.Probes(set, q))
}
