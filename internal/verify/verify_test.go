package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/internal/verify"
)

// fresh is a cluster on which Demarc was installed just now, with two teams; test/verify
// reads it from a real API server.
func fresh(t testing.TB) *snapshot.Set {
	t.Helper()
	text, err := os.ReadFile("testdata/fresh.yaml")
	must(t, err)
	objects, err := snapshot.Parse(text)
	must(t, err)
	set := &snapshot.Set{At: time.Unix(0, 0)}
	set.Add(objects...)
	return set
}

func TestFreshIsClean(t *testing.T) {
	report := verify.Check(fresh(t), verify.Question{})
	if said := told(report, finding.Finding.Counts); said != "" || report.Cells < 10_000 || report.Differ > 0 {
		t.Errorf("of %d cells %d differ:\n%s", report.Cells, report.Differ, said)
	}
	if len(report.Personas) < 12 || len(report.Unread) > 0 {
		t.Errorf("personas %q, unread %v", report.Personas, report.Unread)
	}
}

// TestTampered does to the fresh cluster what each testdata/*.txtar says, and compares what
// is found. test/verify does the same to a real one, and mends it.
func TestTampered(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	if len(files) < 40 {
		t.Fatalf("only %d cases", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			must(t, err)
			set := tampered(t, archive.Files[0].Data)
			report := verify.Check(set, verify.Question{})
			for _, f := range report.Findings {
				if f.Counts() && (f.Mend.Says == "" || f.Message == "" || f.Owner == "" || f.Docs == "") {
					t.Errorf("%s %s is not complete: %+v", f.ID, f.Object, f)
				}
			}
			got := told(report, finding.Finding.Counts)
			if got == "" {
				t.Error("nothing is found")
			}
			if *update {
				archive.Files[1].Data = []byte(got)
				must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got); if that is meant: go test ./internal/verify -update\n%s", diff)
			}
		})
	}
}

// tampered is the fresh cluster after what was done to it.
func tampered(t *testing.T, text []byte) *snapshot.Set {
	t.Helper()
	changes, err := testenv.Tamperings(text)
	must(t, err)
	set := &snapshot.Set{At: time.Unix(0, 0)}
	was := fresh(t)
	for _, o := range was.All() {
		i := slices.IndexFunc(changes, func(c testenv.Tampering) bool {
			return c.Object.GroupVersionKind().GroupKind() == o.GroupVersionKind().GroupKind() && c.Object.GetNamespace() == o.GetNamespace() && c.Object.GetName() == o.GetName()
		})
		switch {
		case i < 0:
			set.Add(o)
		case !changes[i].Gone:
			changed, err := changes[i].On(o)
			must(t, err)
			set.Add(changed)
		}
	}
	for _, c := range changes {
		if !c.Gone && len(c.Change) == 0 {
			set.Add(c.Object)
		}
	}
	return set
}

// told is what was found, as a case has it.
func told(r verify.Report, of func(finding.Finding) bool) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if !of(f) {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s\n  %s\n", f.ID, f.Severity, f.Object, f.Message)
		if f.Cause != nil {
			fmt.Fprintf(&b, "  cause: %s\n", f.Cause)
		}
		command := f.Mend.Command
		if r := []rune(command); len(r) > 400 {
			command = string(r[:400]) + "…"
		}
		fmt.Fprintf(&b, "  mend: %s: %s\n", f.Mend.Says, command)
	}
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A contract that contradicts itself is told, and the one before it is what is compared with.
func TestContradiction(t *testing.T) {
	set := fresh(t)
	spec := contract.Default().Spec.DeepCopy()
	spec.Domains[1].Resources = append(spec.Domains[1].Resources, spec.Domains[0].Resources[0])
	add(t, set, "OwnershipContract", &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec})
	report := verify.Check(set, verify.Question{})
	counts := slices.DeleteFunc(slices.Clone(report.Findings), func(f finding.Finding) bool { return !f.Counts() })
	if len(counts) != 1 || counts[0].ID != verify.Contradicts || report.Cells < 10_000 || report.Differ > 0 || verify.Probes(set, verify.Question{}) != nil {
		t.Errorf("it finds %s of %d cells", told(report, finding.Finding.Counts), report.Cells)
	}
}

// Another contract gives other cells: what was compiled from the one before is told.
func TestAnotherContract(t *testing.T) {
	set := fresh(t)
	spec := contract.Default().Spec.DeepCopy()
	for i := range spec.Domains {
		if d := &spec.Domains[i]; d.Name == "configmaps" {
			d.Creates, d.Modifies, d.Deletes = v1alpha1.PartyPlatform, v1alpha1.PartyPlatform, v1alpha1.PartyPlatform
		}
	}
	add(t, set, "OwnershipContract", &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec})
	report, found := verify.Check(set, verify.Question{}), map[string]bool{}
	for _, f := range report.Findings {
		found[f.ID+" "+f.Object.Kind+"/"+f.Object.Name] = true
	}
	for _, want := range []string{"OC002 RoleBinding/demarc-edit", "OC011 ClusterRole/demarc:edit", "OC012 ValidatingAdmissionPolicy/demarc-boundary", "OC015 AppProject/team-payments"} {
		if !found[want] {
			t.Errorf("it does not find %s: %v", want, found)
		}
	}
	if report.Contract != "OwnershipContract/default" {
		t.Errorf("it is compared with %s", report.Contract)
	}
}

// What could not be read is not told as missing.
func TestUnread(t *testing.T) {
	was, set := fresh(t), &snapshot.Set{At: time.Unix(0, 0)}
	for _, o := range was.All() {
		if o.GetKind() != "ValidatingAdmissionPolicy" && o.GetKind() != "NetworkPolicy" {
			set.Add(o)
		}
	}
	set.Miss(snapshot.Unread{Verb: "list", Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies", Kind: "ValidatingAdmissionPolicy"})
	set.Miss(snapshot.Unread{Verb: "list", Group: "networking.k8s.io", Resource: "networkpolicies", Kind: "NetworkPolicy"})
	report := verify.Check(set, verify.Question{})
	if report.Found() || len(report.Unread) != 2 {
		t.Errorf("unread %v, found %s", report.Unread, told(report, finding.Finding.Counts))
	}
}

// Probes that are answered otherwise are told by who asked.
func TestProbesCompared(t *testing.T) {
	set := fresh(t)
	var answers []verify.Probed
	for i, p := range verify.Probes(set, verify.Question{Team: "payments"}) {
		let := p.Allowed
		if i == 7 {
			let = !let
		}
		answers = append(answers, verify.Probed{Probe: p, Let: let, Said: "said"})
	}
	report := verify.Check(set, verify.Question{Team: "payments", Probed: answers})
	if said := told(report, finding.Finding.Counts); strings.Count(said, verify.Answered) != 1 || report.Probed != len(answers) || len(answers) < 1000 {
		t.Errorf("of %d answers: %s", len(answers), said)
	}
}

// Whom the contract trusts may do more than it gives: that is no finding.
func TestTrusted(t *testing.T) {
	set := fresh(t)
	bind(t, set, "", "helpers", "cluster-admin", "platform-engineers")
	if said := told(verify.Check(set, verify.Question{}), finding.Finding.Counts); !strings.Contains(said, "OC002 error ClusterRoleBinding/helpers") {
		t.Errorf("of a group that nobody trusts it finds\n%s", said)
	}
	spec := contract.Default().Spec.DeepCopy()
	spec.Trusted = append(spec.Trusted, v1alpha1.ContractTrusted{Group: "platform-engineers", Reason: "a test"})
	add(t, set, "OwnershipContract", &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.ContractName}, Spec: *spec})
	report := verify.Check(set, verify.Question{})
	more := told(report, func(f finding.Finding) bool { return f.Counts() && f.ID != verify.Boundary }) // which names whom the contract trusts
	if more != "" || report.Differ > 0 {
		t.Errorf("of one that the contract trusts it finds\n%s", more)
	}
	if notes := told(report, func(f finding.Finding) bool { return f.ID == verify.Power }); !strings.Contains(notes, "the contract trusts platform-engineers: a test") {
		t.Errorf("it notes\n%s", notes)
	}
}

// bind gives a ClusterRole to groups, in a namespace or everywhere.
func bind(t testing.TB, set *snapshot.Set, namespace, name, role string, groups ...string) {
	t.Helper()
	b := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}}
	for _, g := range groups {
		b.Subjects = append(b.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: g})
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(b)
	must(t, err)
	o, kind := &unstructured.Unstructured{Object: content}, "RoleBinding"
	if namespace == "" {
		kind = "ClusterRoleBinding"
	}
	o.SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind(kind))
	set.Add(o)
}
