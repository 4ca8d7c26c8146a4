package contract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/verify"
)

const freshCluster = "../../verify/testdata/fresh.yaml"

const stray = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "help\e[2J"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: mallory}]
`

// A dump is compared as a cluster is.
func TestVerifyFiles(t *testing.T) {
	out, errOut, err := run("", "verify", "-f", freshCluster)
	if err != nil || errOut != "" || !strings.Contains(out, "0 errors, 0 warnings, ") || !strings.Contains(out, "of which 0 differ.") {
		t.Errorf("a fresh cluster: %v %s\n%s", err, errOut, out)
	}
	out, _, err = run(strings.ReplaceAll(stray, `\e[2J`, ""), "verify", "-f", freshCluster, "-f", "-")
	if exit.Code(err) != exit.No || exit.Text(err) != "" || !strings.Contains(out, "error OC004  ClusterRoleBinding/help\n") ||
		!strings.Contains(out, "\nkubectl delete clusterrolebinding help\n") {
		t.Errorf("a stray binding: %v\n%s", err, out)
	}
	out, _, err = run(stray, "verify", "-f", freshCluster, "-f", "-")
	if exit.Code(err) != exit.No || strings.Contains(out, "\x1b") || strings.Contains(out, "kubectl delete") {
		t.Errorf("a name that cannot be shown: %v\n%q", err, out)
	}
	one, _, err := run(strings.ReplaceAll(stray, `\e[2J`, ""), "verify", "-f", freshCluster, "--team", "shop")
	if err != nil || strings.Contains(one, "payments") {
		t.Errorf("one team: %v\n%s", err, one)
	}
}

func TestVerifyDocuments(t *testing.T) {
	out, _, err := run(stray, "verify", "-f", freshCluster, "-f", "-", "-o", "json")
	var got verify.Report
	if exit.Code(err) != exit.No || json.Unmarshal([]byte(out), &got) != nil || got.Findings[0].ID != "OC004" || got.Findings[0].Cause.Subject != "user mallory" || got.Cells < 10_000 {
		t.Errorf("json: %v\n%.2000s", err, out)
	}
	out, _, err = run(stray, "verify", "-f", freshCluster, "-f", "-", "-o", "sarif")
	var sarif struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct{ RuleID, Level string }
		}
	}
	if exit.Code(err) != exit.No || json.Unmarshal([]byte(out), &sarif) != nil || sarif.Version != "2.1.0" || len(sarif.Runs[0].Tool.Driver.Rules) != len(verify.Checks) ||
		sarif.Runs[0].Results[0].RuleID != "OC004" || sarif.Runs[0].Results[0].Level != "error" {
		t.Errorf("sarif: %v\n%.2000s", err, out)
	}
	if out, _, err := run("", "verify", "-f", freshCluster, "-o", "yaml"); err != nil || !strings.HasPrefix(out, "cells: ") {
		t.Errorf("yaml: %v\n%.500s", err, out)
	}
}

// What is not in the files could not be compared, and is named.
func TestVerifyPartly(t *testing.T) {
	text := read1(t, freshCluster)
	var rest []string
	for _, o := range strings.Split(text, "---\n") {
		if !strings.Contains(o, `"kind":"ClusterRoleBinding","metadata"`) && !strings.Contains(o, `"kind":"ValidatingAdmissionPolicyBinding"`) {
			rest = append(rest, o)
		}
	}
	file := filepath.Join(t.TempDir(), "dump.yaml")
	if err := os.WriteFile(file, []byte(strings.Join(rest, "---\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _, err := run("", "verify", "-f", file)
	for _, kind := range []string{"clusterrolebindings.rbac.authorization.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io"} {
		if _, unread, _ := strings.Cut(out, "not read: "); !strings.Contains(unread, kind) || !strings.Contains(unread, "none is in the files") {
			t.Errorf("it does not name %s: %v\n%s", kind, err, out)
		}
	}
	if exit.Code(err) != exit.Unknown || !strings.Contains(exit.Text(err), "could not be told") {
		t.Errorf("it ends with %v\n%s", err, out)
	}
}

func TestVerifyUsage(t *testing.T) {
	for _, args := range [][]string{{"-o", "table"}, {"--probe", "-f", freshCluster}, {"-R"}, {"-f", "testdata/gone.yaml"}, {"-f", freshCluster, "--team", "none"}, {"extra"}} {
		if out, _, err := run("", append([]string{"verify"}, args...)...); exit.Code(err) != exit.Unknown || out != "" {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
