package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"demarc.dev/demarc/sandbox/programs"
)

// ChartPath is where the paved-road chart lies, in the checkout and in the repository.
const ChartPath = "charts/service"

// publishChart commits charts/service to the sandbox's platform repository, under a tag made of its content: a tag never
// moves, and the same content is the same tag.
func (d *Demarc) publishChart(ctx context.Context, o Options) error {
	if d.ChartRepo != "" {
		if d.ChartRevision == "" {
			return errors.New("CHART_REVISION is not set: name the tag or commit of the chart in CHART_REPO")
		}
		return nil
	}
	repo, err := d.Sandbox.Repository(ctx, "platform")
	if err != nil {
		return err
	}
	dir := filepath.Join(o.Root, filepath.FromSlash(ChartPath))
	sum, err := hashDir(dir)
	if err != nil {
		return err
	}
	tag := "service-" + sum
	if _, err := repo.CommitDir(ctx, "Publish the service chart", dir, ChartPath, tag); err != nil {
		return err
	}
	d.ChartRepo, d.ChartRevision = repo.URL(), tag
	return nil
}

// installChart installs or upgrades the release, unless this very chart is installed already.
func (d *Demarc) installChart(ctx context.Context, o Options) error {
	dir := filepath.Join(o.Root, "charts", "demarc")
	sum, err := hashDir(dir)
	if err != nil {
		return err
	}
	helm, err := d.helm(ctx, o)
	if err != nil {
		return err
	}
	description := "content " + sum
	if installed(ctx, helm, description) {
		return nil
	}
	_, err = helm(ctx, "upgrade", "demarc", dir, "--install", "--create-namespace", "--skip-crds",
		"--set", "operator.replicas=0", "--description", description)
	return err
}

func installed(ctx context.Context, helm runner, description string) bool {
	out, err := helm(ctx, "status", "demarc", "-o", "json")
	if err != nil {
		return false // not installed, or not readable: the upgrade says which
	}
	var status struct {
		Info struct{ Status, Description string }
	}
	return json.Unmarshal(out, &status) == nil && status.Info.Status == "deployed" && status.Info.Description == description
}

type runner func(ctx context.Context, args ...string) ([]byte, error)

// helm is the sandbox's own, or for a cluster of the user's the one on the PATH.
func (d *Demarc) helm(ctx context.Context, o Options) (runner, error) {
	binary := filepath.Join(d.Sandbox.BinDir(), "helm")
	if d.Sandbox.BinDir() == "" {
		found, err := exec.LookPath("helm")
		if err != nil {
			set, err := programs.Ensure(ctx, o.Out)
			if err != nil {
				return nil, err
			}
			found = filepath.Join(set.BinDir, "helm")
		}
		binary = found
	}
	return func(ctx context.Context, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, binary, append(args, "--kubeconfig", d.Sandbox.Kubeconfig(), "--namespace", Namespace)...)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return out, fmt.Errorf("helm %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
		}
		return out, err
	}, nil
}

// hashDir is the hash of a folder's files and their names.
func hashDir(dir string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		fmt.Fprintf(h, "%s %d\n", filepath.ToSlash(rel), len(content))
		h.Write(content)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))[:12], err
}
