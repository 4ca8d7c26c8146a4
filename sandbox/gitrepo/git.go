package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// runner runs git with added environment.
type runner struct {
	dir string
	env []string
}

func (r *Repository) with(env ...string) runner { return runner{dir: r.dir, env: env} }

func (r *Repository) git(ctx context.Context, args ...string) (string, error) {
	return r.with().git(ctx, nil, args...)
}

// git keeps the user's settings, hooks and identity out.
func (g runner) git(ctx context.Context, stdin []byte, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = append(os.Environ(), append(g.env,
		"GIT_DIR="+g.dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Demarc sandbox", "GIT_AUTHOR_EMAIL=sandbox@demarc.dev",
		"GIT_COMMITTER_NAME=Demarc sandbox", "GIT_COMMITTER_EMAIL=sandbox@demarc.dev")...)
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}
