package version_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/version"
)

// One release has one number.
func TestNumber(t *testing.T) {
	raw, err := os.ReadFile("../../../charts/demarc/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		AppVersion string `json:"appVersion"`
	}
	if err := yaml.Unmarshal(raw, &chart); err != nil {
		t.Fatal(err)
	}
	if chart.AppVersion != version.Number {
		t.Errorf("the chart is of %s, the command line of %s", chart.AppVersion, version.Number)
	}
}

func TestVersion(t *testing.T) {
	var out bytes.Buffer
	cmd := version.NewCmdVersion(factory.New("demarc", factory.IO{Out: &out}), nil)
	cmd.SetArgs([]string{})
	if err := cmd.Execute(); err != nil || !strings.HasPrefix(out.String(), "demarc "+version.Number) || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("it says %q, and %v", out.String(), err)
	}
}
