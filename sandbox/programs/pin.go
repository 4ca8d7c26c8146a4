package programs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// recipe changes when this package begins to build the same sources in another way.
const recipe = 1

// pin is a group with what its module pins, read from disk.
type pin struct {
	Group
	// dir is the folder with its go.mod.
	dir string
	// version is that of the group's module, as v1.2.3.
	version string
	// hash names the folder of what is built.
	hash string
}

func loadPin(ctx context.Context, pins string, g Group) (pin, error) {
	p := pin{Group: g, dir: filepath.Join(pins, g.Name)}
	mod, err := os.ReadFile(filepath.Join(p.dir, "go.mod"))
	if err != nil {
		return p, fmt.Errorf("read the pins of %s: %w", g.Name, err)
	}
	sum, err := os.ReadFile(filepath.Join(p.dir, "go.sum"))
	if err != nil {
		return p, fmt.Errorf("read the pins of %s: %w", g.Name, err)
	}
	if p.version, err = required(mod, g.Module); err != nil {
		return p, fmt.Errorf("%s/go.mod: %w", p.dir, err)
	}
	env, err := goEnv(ctx, p.dir)
	if err != nil {
		return p, err
	}
	p.hash = hashOf(g, mod, sum, env)
	return p, nil
}

// required finds the version at which a go.mod requires a module.
func required(mod []byte, module string) (string, error) {
	lines := bufio.NewScanner(bytes.NewReader(mod))
	for lines.Scan() {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "require "))
		if len(fields) >= 2 && fields[0] == module && strings.HasPrefix(fields[1], "v") {
			return fields[1], nil
		}
	}
	return "", fmt.Errorf("requires no %s", module)
}

// goEnv is what of the Go installation decides how a program comes out.
func goEnv(ctx context.Context, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED")
	cmd.Dir, cmd.Env = dir, buildEnv()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask go for its version (Go 1.26 must be on the PATH): %w", explain(err))
	}
	return string(out), nil
}

func explain(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}

// buildEnv keeps the user's workspace and flags away from the pins.
func buildEnv() []string { return append(os.Environ(), "GOWORK=off", "GOFLAGS=") }

func hashOf(g Group, mod, sum []byte, env string) string {
	h := sha256.New()
	text, err := json.Marshal(g)
	if err != nil {
		panic(err) // strings alone
	}
	for _, part := range [][]byte{{recipe}, text, mod, sum, []byte(env)} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// fill puts the pinned version into a text.
func (p pin) fill(text string) string {
	number := strings.TrimPrefix(p.version, "v")
	parts := append(strings.SplitN(number, ".", 3), "", "")
	return strings.NewReplacer("{version}", p.version, "{number}", number, "{major}", parts[0], "{minor}", parts[1]).Replace(text)
}

// Source finds the checkout of Demarc: where this program was compiled, or a folder above the working folder.
// DEMARC_SOURCE names it where neither is right.
func Source() (string, error) {
	candidates := []string{os.Getenv("DEMARC_SOURCE")}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		candidates = append(candidates, filepath.Join(filepath.Dir(file), "..", ".."))
	}
	if wd, err := os.Getwd(); err == nil {
		for dir := wd; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			candidates = append(candidates, dir)
		}
	}
	for _, dir := range candidates {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "sandbox", "pins", "kubernetes", "go.mod")); err == nil {
			return filepath.Clean(dir), nil
		}
	}
	return "", errors.New("no checkout of Demarc found: run this inside one, or set DEMARC_SOURCE to its folder")
}
