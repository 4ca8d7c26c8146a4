package verify_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/internal/verify"
)

var update = flag.Bool("update", false, "write the generated files anew")

// TestGeneratedChart holds chart.yaml to be what the chart makes.
func TestGeneratedChart(t *testing.T) {
	objects, err := testenv.Chart(verify.OperatorNamespace, verify.ArgoCDNamespace)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("# Made by make generate from charts/demarc: the policies of the install and the operator's rights.\n")
	for _, o := range objects {
		o.SetLabels(nil) // they name the release
		raw, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("---\n" + string(raw))
	}
	golden(t, "chart.yaml", b.String(), "make generate")
}

func golden(t *testing.T, file, got, refresh string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not current (-want +got); %s\n%s", file, refresh, diff)
	}
}
