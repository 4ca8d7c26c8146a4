package verify

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/sandbox/programs"
)

// TestChartIsHelms holds testenv.Chart, from which internal/verify/chart.yaml is made, to
// be what Helm makes.
func TestChartIsHelms(t *testing.T) {
	set, err := programs.Find(t.Context())
	must(t, err)
	out, err := exec.Command(filepath.Join(set.BinDir, "helm"), "template", "demarc", filepath.Join(testenv.Root(), "charts", "demarc"),
		"--namespace", "here", "--set", "argocd.namespace=there", "--kube-version", "1.37.0").Output()
	must(t, err)
	objects, err := snapshot.Parse(out)
	must(t, err)
	ours, err := testenv.Chart("here", "there")
	must(t, err)
	if diff := cmp.Diff(specs(objects), specs(ours)); diff != "" || len(ours) < 40 {
		t.Errorf("%d objects (-helm +ours)\n%s", len(ours), diff)
	}
}

// specs are the objects without their labels, which name the release; what runs the
// operator is left out.
func specs(objects []snapshot.Object) map[string]any {
	all := map[string]any{}
	for _, o := range objects {
		if o.GetKind() == "Deployment" || o.GetKind() == "ServiceAccount" {
			continue
		}
		o.SetLabels(nil)
		all[o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName()] = o.Object
	}
	return all
}
