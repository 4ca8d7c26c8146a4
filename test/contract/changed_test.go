package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/verify"
	"demarc.dev/demarc/internal/who"
	"demarc.dev/demarc/test/cluster"
)

// editor is somebody whom the Tenant ink gives the role edit; writer is an account that the
// team gave the writing of ConfigMaps itself.
const (
	editor = " --as=somebody --as-group=team-ink --as-group=system:authenticated"
	writer = " --as=system:serviceaccount:team-ink:writer --as-group=system:serviceaccounts --as-group=system:authenticated"
)

const writers = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: writer, namespace: team-ink}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: writer, namespace: team-ink}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [create, delete, get, update]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: writer, namespace: team-ink}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: writer}
subjects: [{kind: ServiceAccount, name: writer, namespace: team-ink}]
`

// changed: the domain of ConfigMaps becomes the platform's, and all that is compiled from
// the contract says so; then the contract goes, and the shipped one holds again.
func changed(t *testing.T) {
	on.Apply(t, writers)
	shipped, theirs := t.TempDir(), t.TempDir()
	follows(t, v1alpha1.PartyTeam)
	rendered(t, shipped)

	agreed := &v1alpha1.OwnershipContract{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "OwnershipContract"},
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName},
		Spec:       *contract.Default().Spec.DeepCopy(),
	}
	for i := range agreed.Spec.Domains {
		if d := &agreed.Spec.Domains[i]; d.Name == "configmaps" {
			p := v1alpha1.PartyPlatform
			d.Creates, d.Modifies, d.Approves, d.Monitors, d.Paged, d.Deletes = p, p, p, p, p, p
		}
	}
	text, err := json.Marshal(agreed)
	if err != nil {
		t.Fatal(err)
	}
	on.Apply(t, string(text))
	follows(t, v1alpha1.PartyPlatform)
	rendered(t, theirs)
	for _, file := range []string{
		"clusterroles.yaml", "appproject-kinds.yaml", "codeowners/application/CODEOWNERS", "alertmanager.yaml", "matrix.md", "matrix.svg",
	} {
		if was, is := content(t, shipped, file), content(t, theirs, file); was == is {
			t.Errorf("%s is as it was", file)
		}
	}

	on.Must(t, "delete ownershipcontract default")
	follows(t, v1alpha1.PartyTeam)
}

// follows waits until RBAC, admission, Argo CD's projects and demarc who say that
// ConfigMaps are somebody's, and verify agrees.
func follows(t *testing.T, whose v1alpha1.Party) {
	t.Helper()
	theirs := whose == v1alpha1.PartyTeam
	cluster.Eventually(t, patience, func(context.Context) error {
		if out, _ := on.Kubectl(t, "", strings.Fields("auth can-i create configmaps -n team-ink"+editor)...); strings.HasPrefix(out, "yes") != theirs {
			return fmt.Errorf("RBAC: whether the role edit may create ConfigMaps: %s", out)
		}
		out, err := on.Kubectl(t, "", strings.Fields("create configmap tried -n team-ink --dry-run=server"+writer)...)
		if refused := err != nil && strings.Contains(out, "domain configmaps of the ownership contract"); refused == theirs {
			return fmt.Errorf("admission: an account of the team's that may create ConfigMaps: %v: %s", err, out)
		}
		if out := on.Must(t, "get appproject team-ink -n argocd -o jsonpath={.spec.namespaceResourceWhitelist[*].kind}"); strings.Contains(" "+out+" ", " ConfigMap ") != theirs {
			return fmt.Errorf("the AppProject delivers: %s", out)
		}
		out, code := demarc(t, "who", "configmap", "-o", "json")
		var a who.Answer
		if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 {
			return fmt.Errorf("demarc who ends with %d: %v: %s", code, err, out)
		}
		for _, d := range a.Answers {
			if d.Answer != whose && d.Duty == "modifies" {
				return fmt.Errorf("demarc who says %+v", d)
			}
		}
		return told(verified(t), theirs)
	})
}

// told: nothing is found but, where ConfigMaps are the platform's, the role that the team
// made before: it gives what admission refuses now.
func told(report verify.Report, theirs bool) error {
	stale := 0
	for _, f := range report.Findings {
		switch {
		case !f.Counts():
		case f.ID == verify.HandedOn && f.Object.Name == "writer" && !theirs:
			stale++
		default:
			return errors.New(findings(report))
		}
	}
	if !theirs && stale != 1 {
		return fmt.Errorf("the team's own role is found %d times", stale)
	}
	return nil
}

// rendered are the files that are made of what the cluster has.
func rendered(t *testing.T, dir string) {
	t.Helper()
	people := filepath.Join(t.TempDir(), "people.yaml")
	held := on.Must(t, "get platforms,tenants,ownershipcontracts -o yaml")
	if err := os.WriteFile(people, []byte(held), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := demarc(t, "contract", "render", "-f", people, "--out", dir); code != 0 {
		t.Fatalf("demarc contract render ends with %d: %s", code, out)
	}
}

func content(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
