package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"demarc.dev/demarc/sandbox/component"
	"demarc.dev/demarc/sandbox/ports"
)

// Operator is the name of the operator among the sandbox's components.
const Operator = "demarc-operator"

// readyWithin covers the time for which a policy with a fresh parameter kind refuses after an install.
const readyWithin = 90 * time.Second

// runOperator builds the operator from the checkout and runs it with a token of its ServiceAccount, so that a missing
// permission shows.
func (d *Demarc) runOperator(ctx context.Context, o Options) error {
	binary, err := d.build(ctx, o)
	if err != nil {
		return err
	}
	if d.Kubeconfig, err = d.operatorKubeconfig(ctx, o.Through); err != nil {
		return err
	}
	listen, err := d.operatorPorts()
	if err != nil {
		return err
	}
	d.MetricsURL = fmt.Sprintf("http://127.0.0.1:%d/metrics", listen["metrics"])
	d.ProbeURL = fmt.Sprintf("http://127.0.0.1:%d/readyz", listen["probes"])
	c := component.Component{
		Name:   Operator,
		Binary: binary,
		Args: []string{
			"--namespace", Namespace,
			"--metrics-bind-address", fmt.Sprintf("127.0.0.1:%d", listen["metrics"]),
			"--health-probe-bind-address", fmt.Sprintf("127.0.0.1:%d", listen["probes"]),
		},
		Env:   map[string]string{"KUBECONFIG": d.Kubeconfig},
		Ports: []component.Port{{Name: "metrics", Number: listen["metrics"]}, {Name: "probes", Number: listen["probes"]}},
		Files: []string{d.Kubeconfig},
		Ready: component.Probe{HTTP: d.ProbeURL, Timeout: readyWithin},
	}
	if o.TriageInterval != 0 {
		c.Args = append(c.Args, "--triage-interval", o.TriageInterval.String())
	}
	return d.Sandbox.Run(ctx, c)
}

// build compiles the operator into the sandbox's folder, under a name made of its content: the same code restarts nothing.
func (d *Demarc) build(ctx context.Context, o Options) (string, error) {
	dir := filepath.Join(d.Sandbox.Dir(), "operator")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	aside := filepath.Join(dir, fmt.Sprintf("building-%d", os.Getpid()))
	defer os.Remove(aside)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", aside, "./cmd/demarc-operator")
	cmd.Dir = o.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the operator: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	content, err := os.ReadFile(aside)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	binary := filepath.Join(dir, "demarc-operator-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	return binary, os.Rename(aside, binary)
}

// operatorPorts keeps the ports of an earlier run.
func (d *Demarc) operatorPorts() (map[string]int, error) {
	path := filepath.Join(d.Sandbox.Dir(), "operator", "ports.json")
	held := map[string]int{}
	if text, err := os.ReadFile(path); err == nil {
		if json.Unmarshal(text, &held) == nil && held["metrics"] != 0 && held["probes"] != 0 {
			return held, nil
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	picked, err := ports.Pick(filepath.Dir(path), []string{"metrics", "probes"}, nil, false)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(picked)
	if err != nil {
		return nil, err
	}
	return picked, os.WriteFile(path, text, 0o644)
}
