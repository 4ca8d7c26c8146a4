package adopt_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/adoption"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) { testenv.Main(m, func(e *testenv.Env) { env = e }) }

// adopt runs the command line as a user; empty is the administrator.
func adopt(t *testing.T, user string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr})
	config := rest.CopyConfig(env.Config)
	if user != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: user}
	}
	f.Config = func() (*rest.Config, error) { return config, nil }
	code = cli.Run(t.Context(), f, append([]string{"adopt"}, args...))
	return code, stdout.String(), stderr.String()
}

func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := env.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// deployment whose container asks for this much memory, and sets no limit.
func deployment(ns, name, memory string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "c", Image: "nginx", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}},
			}}}}},
	}
}

func says(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("it says\n%s\nwithout %q", text, want)
		}
	}
}

// A dry run says what would change, and changes nothing.
func TestDryRun(t *testing.T) {
	create(t, namespace("team-dry"), deployment("team-dry", "small", "64Mi"))
	code, out, errs := adopt(t, "", "team-dry", "--dry-run", "--cpu", "1", "--memory", "1Gi", "--pods", "4")
	if code != exit.Done {
		t.Errorf("exit code %d: %s", code, errs)
	}
	says(t, out, "would become that of Tenant dry, which would be made", "demarc.dev/tenant=dry", "resourcequota/demarc in team-dry",
		"Group team-dry gets demarc:edit", "Nothing would be refused.")
	err := env.Client.Get(t.Context(), types.NamespacedName{Name: "dry"}, &v1alpha1.Tenant{})
	ns := &corev1.Namespace{}
	if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "team-dry"}, ns); err != nil {
		t.Fatal(err)
	}
	if _, marked := ns.Labels[v1alpha1.LabelTenant]; !apierrors.IsNotFound(err) || marked {
		t.Errorf("it was no dry run: %v, %v", err, ns.Labels)
	}
	create(t, deployment("team-dry", "large", "512Mi"),
		&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team-dry", Name: "demarc"}})
	code, out, _ = adopt(t, "", "team-dry", "--dry-run", "--memory", "1Gi", "-o", "json")
	var report adoption.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != exit.No {
		t.Fatalf("exit code %d, %v: %s", code, err, out)
	}
	if c := report.Conflicts(); len(c) != 1 || len(report.Refusals) != 1 || report.Refusals[0].By != "LimitRange" {
		t.Errorf("it says %+v", report)
	}
}

// The Tenant of a file is the one that is previewed; what is wrong with it is said.
func TestFile(t *testing.T) {
	create(t, namespace("team-file"))
	file := filepath.Join(t.TempDir(), "tenant.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: file}\nspec: {access: [{user: ada, role: view}]}\n")
	code, out, errs := adopt(t, "", "team-file", "--dry-run", "-f", file)
	if code != exit.Done {
		t.Errorf("exit code %d: %s", code, errs)
	}
	says(t, out, "User ada gets demarc:view")
	write("apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: file}\nspec: {access: [{user: ada, role: king}]}\n")
	code, out, _ = adopt(t, "", "team-file", "--dry-run", "-f", file)
	if code != exit.No {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "The API server would not take it", "king")
	write("apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: other}\n")
	code, _, errs = adopt(t, "", "team-file", "--dry-run", "-f", file)
	if code != exit.Unknown {
		t.Errorf("exit code %d", code)
	}
	says(t, errs, "there is no Tenant file in ")
}

// Who may not look is told what was not read; who may not make Tenants gets a preview.
func TestRights(t *testing.T) {
	create(t, namespace("team-rights"),
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "adopt-looker"}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{v1alpha1.GroupName}, Resources: []string{"tenants", "platforms"}, Verbs: []string{"get"}},
			{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list"}}}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "adopt-looker"},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "adopt-looker"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "looker"}}})
	var code int
	var out, errs string
	testenv.Eventually(t, func() error { // until the API server knows the binding
		if code, out, errs = adopt(t, "looker", "team-rights", "--dry-run"); !strings.Contains(out, "Not read") {
			return errorText(errs)
		}
		return nil
	})
	if code != exit.Unknown {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "list pods in team-rights", "you may not create tenants")
	says(t, errs, "it could not be told whether something would be refused")
}

type errorText string

func (e errorText) Error() string { return string(e) }

// What cannot be adopted is told why, and nothing is asked.
func TestImpossible(t *testing.T) {
	ours := namespace("team-taken")
	ours.Labels = map[string]string{v1alpha1.LabelTenant: "taken", v1alpha1.LabelOwner: "tenant.taken"}
	lost := namespace("team-lost")
	lost.Labels = map[string]string{v1alpha1.LabelTenant: "lost", v1alpha1.LabelOwner: "tenant.lost"}
	create(t, ours, lost, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "taken"}})
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"kube-system --dry-run", exit.No, "is Kubernetes' own and is never a team's"},
		{"default", exit.No, "is Kubernetes' own and is never a team's"},
		{"shop --dry-run", exit.No, "a team's namespace is called team-NAME"},
		{"team-platform --dry-run", exit.No, "the name is reserved"},
		{"team-nowhere --dry-run", exit.No, "there is no namespace team-nowhere"},
		{"team-taken --dry-run", exit.No, "is Demarc's already"},
		{"team-lost --dry-run", exit.No, "is marked as that of Tenant lost, which is gone"},
		{"team-x --timeout -5s", exit.Unknown, "0 waits for ever"},
		{"team-x --cpu 1 -f x", exit.Unknown, "the budget stands in the file"},
		{"team-x --dry-run -o table", exit.Unknown, "there is no output"},
		{"team-x -o json", exit.Unknown, "--output belongs to --dry-run"},
		{"team-x --dry-run --pods many", exit.Unknown, "is no whole number"},
		{"team-x --dry-run --cpu much", exit.Unknown, "is not a quantity"},
	} {
		code, _, errs := adopt(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d, want %d\n%s\nwant %q", c.args, code, c.code, errs, c.says)
		}
	}
}

// Without a word from a person nothing is changed; with it the operator takes the
// namespace over, through a Tenant that is made or one that is there.
func TestAdopt(t *testing.T) {
	env.Operator(t, clock.RealClock{})
	create(t, namespace("team-made"), namespace("team-there"), &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "there"}})
	if code, _, errs := adopt(t, "", "team-made"); code != exit.No || !strings.Contains(errs, "not confirmed") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	for team, timeout := range map[string]string{"made": "0", "there": "60s"} { // 0 is for ever
		code, out, errs := adopt(t, "", "team-"+team, "--pods", "7", "--yes", "--timeout", timeout)
		if code != exit.Done {
			t.Errorf("%s: exit code %d: %s", team, code, errs)
		}
		says(t, out, "NamespaceReady: ")
		tenant, ns := &v1alpha1.Tenant{}, &corev1.Namespace{}
		if err := env.Client.Get(t.Context(), types.NamespacedName{Name: team}, tenant); err != nil {
			t.Fatal(err)
		}
		if err := env.Client.Get(t.Context(), types.NamespacedName{Name: "team-" + team}, ns); err != nil {
			t.Fatal(err)
		}
		if !tenant.Spec.Adopt || *tenant.Spec.Resources.Pods != 7 || ns.Labels[v1alpha1.LabelTenant] != team || ns.Annotations[v1alpha1.AnnotationAdopted] == "" {
			t.Errorf("%s: %+v, %v %v", team, tenant.Spec, ns.Labels, ns.Annotations)
		}
		if code, _, errs := adopt(t, "", "team-"+team, "--dry-run"); code != exit.No || !strings.Contains(errs, "was adopted by Tenant "+team+" already") {
			t.Errorf("once more: exit code %d: %s", code, errs)
		}
	}
}
