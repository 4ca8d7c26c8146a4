package findings

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var (
	argoLine  = regexp.MustCompile(`(?m)^require github\.com/argoproj/argo-cd/v3 (\S+)`)
	chartLine = regexp.MustCompile(`(?m)^appVersion: "?([^"\n]+)"?`)
)

// Versions are those of what runs, as the head of a case gives them.
func Versions(root, kubernetes string) (string, error) {
	argo, err := first(argoLine, filepath.Join(root, "sandbox", "pins", "argocd", "go.mod"))
	if err != nil {
		return "", err
	}
	demarc, err := first(chartLine, filepath.Join(root, "charts", "demarc", "Chart.yaml"))
	return fmt.Sprintf("Kubernetes %s, Argo CD %s, Demarc %s", kubernetes, argo, demarc), err
}

func first(line *regexp.Regexp, name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	m := line.FindSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("%s does not say its version", name)
	}
	return string(m[1]), nil
}
