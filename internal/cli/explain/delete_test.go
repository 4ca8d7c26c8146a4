package explain_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/deletion"
	"demarc.dev/demarc/internal/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) { testenv.Main(m, func(e *testenv.Env) { env = e }) }

// explain runs the command line as a user; empty is the administrator.
func explain(t *testing.T, user string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr})
	config := rest.CopyConfig(env.Config)
	if user != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: user}
	}
	f.Config = func() (*rest.Config, error) { return config, nil }
	code = cli.Run(t.Context(), f, append([]string{"explain", "delete"}, args...))
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

func configMap(ns, name string, finalizers ...string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Finalizers: finalizers}}
}

func says(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("it says\n%s\nwithout %q", text, want)
		}
	}
}

// Any object can be asked about: before its deletion, and while a stranger holds it.
func TestAnyObject(t *testing.T) {
	held := configMap("any", "held", "example.com/hold")
	create(t, namespace("any"), configMap("any", "free"), held)
	code, out, _ := explain(t, "", "cm/free", "-n", "any")
	if code != exit.Done {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "configmap/free in any is not being deleted", "Nothing would hold it.")

	code, out, _ = explain(t, "", "configmap", "held", "-n", "any")
	if code != exit.No {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "That would be held by", "example.com/hold of the controller of example.com")

	if err := env.Client.Delete(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	code, out, _ = explain(t, "", "configmaps/held", "-n", "any")
	if code != exit.No {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "is being deleted since", "Held by", `"op":"test","path":"/metadata/finalizers/0","value":"example.com/hold"`)
}

// A Tenant and its claim: in the order of the drain, which has not begun.
func TestTenant(t *testing.T) {
	tenant := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "asked", Finalizers: []string{v1alpha1.FinalizerTenant}}}
	claim := &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "asked-web", Finalizers: []string{v1alpha1.FinalizerClaim}},
		Spec: v1alpha1.ServiceClaimSpec{Team: "asked", Image: "nginx:1"}}
	create(t, tenant, claim)
	code, out, errs := explain(t, "", "tenant/asked", "-o", "json")
	var report deletion.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != exit.No {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	if len(report.Plan) == 0 || report.Plan[0].Name != "AwaitClaims" || len(report.Ahead) == 0 || report.Ahead[0].Reason != "ClaimsRemain" {
		t.Errorf("it says\n%s", out)
	}
	code, out, _ = explain(t, "", "claim/asked-web")
	if code != exit.Done {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "ReleaseClaim: the claim asked-web goes")
}

// What may not be read is said and never guessed: exit code 2 where nothing was found.
func TestDeveloper(t *testing.T) {
	const user = "dev"
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "explain-dev"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{v1alpha1.GroupName}, Resources: []string{"tenants", "serviceclaims"}, Verbs: []string{"get", "list", "delete"}}}}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "explain-dev"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "explain-dev"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}}
	claim := &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "dev-web", Finalizers: []string{v1alpha1.FinalizerClaim}},
		Spec: v1alpha1.ServiceClaimSpec{Team: "dev", Image: "nginx:1"}}
	create(t, role, binding, claim, namespace("dev"), configMap("dev", "hidden"))
	testenv.Eventually(t, func() error { // until the API server knows the binding
		_, _, errs := explain(t, user, "claim/dev-web")
		if !strings.Contains(errs, "could not be told") {
			return errorText(errs)
		}
		return nil
	})
	code, out, errs := explain(t, user, "claim/dev-web")
	if code != exit.Unknown {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "Not read, so not told:", "get applications.argoproj.io dev.dev-web in argocd (you may not)",
		"go by serviceclaims.demarc.dev dev-web: its status does not speak of generation 1 yet")
	says(t, errs, "it could not be told whether something holds serviceclaim/dev-web", "ask for these rights")

	code, out, _ = explain(t, user, "configmap/hidden", "-n", "dev")
	if code != exit.Unknown {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "configmap/hidden in dev could not be read", "get configmaps hidden in dev (you may not)")
	if strings.Contains(out, "is not being deleted") {
		t.Errorf("it says of what it could not read\n%s", out)
	}
	// The API server's own refusal of what one may not delete is an answer.
	if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(role), role); err != nil {
		t.Fatal(err)
	}
	role.Rules[0].Verbs = []string{"get", "list"}
	if err := env.Client.Update(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() error {
		if code, out, _ = explain(t, user, "claim/dev-web"); code != exit.No {
			return errorText(out)
		}
		return nil
	})
	says(t, out, "Refused", `User "dev" cannot delete resource "serviceclaims"`)
}

// Of one's own claim its status answers for what no team may read: the plan is told, and
// what holds it in the team's namespace, with the exit code of an answer.
func TestDevelopersClaim(t *testing.T) {
	const user = "owner"
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	kept := configMap("team-own", "kept")
	kept.Annotations = map[string]string{argocd.TrackingID: "own.own-web:/ConfigMap:team-own/kept"}
	claim := &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "own-web", Finalizers: []string{v1alpha1.FinalizerClaim}},
		Spec: v1alpha1.ServiceClaimSpec{Team: "own", Image: "nginx:1"}}
	create(t, namespace("team-own"), kept, claim,
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "explain-own"}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{v1alpha1.GroupName}, Resources: []string{"tenants", "serviceclaims", "platforms"}, Verbs: []string{"get", "list", "delete"}}}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "explain-own"}, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "explain-own"}},
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: "team-own", Name: "own"}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list"}}}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team-own", Name: "own"}, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "own"}})
	spoken(t, claim, "Ready", metav1.ConditionTrue, "Running", "all run")
	var code int
	var out string
	testenv.Eventually(t, func() error { // until the API server knows the bindings
		var errs string
		if code, out, errs = explain(t, user, "claim/own-web"); code != exit.Done {
			return errorText(out + errs)
		}
		return nil
	})
	says(t, out, "1. DeleteApplication: Argo CD removes what Application own.own-web in argocd delivered", "ReleaseClaim: the claim own-web goes",
		"Not read, so not told:", "get applications.argoproj.io own.own-web in argocd (you may not)", "list leases.coordination.k8s.io (you may not)",
		"Nothing would hold it. That is as far as you may read")

	hold := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/hold"]}}`))
	if err := env.Client.Patch(t.Context(), kept, hold); err != nil {
		t.Fatal(err)
	}
	if err := env.Client.Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	if code, out, _ = explain(t, user, "claim/own-web"); code != exit.No {
		t.Errorf("the operator has not spoken, and the finalizer was found: exit code %d\n%s", code, out)
	}
	says(t, out, "go by serviceclaims.demarc.dev own-web: its status does not speak of the deletion yet")
	spoken(t, claim, "Drained", metav1.ConditionFalse, "ApplicationDeleting", "Application own.own-web in argocd is being deleted")
	if code, out, _ = explain(t, user, "claim/own-web"); code != exit.No {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "1. AwaitApplication: Application own.own-web in argocd is being deleted", "configmap/kept in team-own", "example.com/hold of the controller of example.com")
}

// spoken writes what the operator would say of a claim as it is now.
func spoken(t *testing.T, claim *v1alpha1.ServiceClaim, kind string, status metav1.ConditionStatus, reason, message string) {
	t.Helper()
	if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); err != nil {
		t.Fatal(err)
	}
	claim.Status = v1alpha1.ServiceClaimStatus{ObservedGeneration: claim.Generation, Application: claim.Spec.Team + "." + claim.Name,
		Inventory: []v1alpha1.ClaimObject{{Version: "v1", Kind: "ConfigMap", Namespace: "team-" + claim.Spec.Team, Name: "kept"}},
		Conditions: []metav1.Condition{{Type: kind, Status: status, Reason: reason, Message: message,
			ObservedGeneration: claim.Generation, LastTransitionTime: metav1.Now()}}}
	if err := env.Client.Status().Update(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }

// A cluster's text cannot play tricks on a terminal.
func TestTextIsData(t *testing.T) {
	claim := &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "tricks", Finalizers: []string{v1alpha1.FinalizerClaim}},
		Spec: v1alpha1.ServiceClaimSpec{Team: "tricks", Image: "nginx:1"}}
	create(t, claim)
	if err := env.Client.Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	if err := env.Client.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); err != nil {
		t.Fatal(err)
	}
	claim.Status.Conditions = []metav1.Condition{{Type: "Drained", Status: metav1.ConditionFalse, Reason: "ObjectsRemain",
		Message: "left\x1b[2J\u202eover\r\nHeld by nobody", LastTransitionTime: metav1.Now()}}
	if err := env.Client.Status().Update(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"text", "json", "yaml"} {
		_, out, _ := explain(t, "", "claim/tricks", "-o", form)
		if strings.ContainsAny(out, "\x1b\u202e\r") || strings.Contains(out, "\nHeld by nobody") {
			t.Errorf("%s: %q", form, out)
		}
		says(t, out, "left[2Jover")
	}
}

// What cannot be explained ends with words and a code of its own.
func TestWrongQuestions(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"tenant/nobody-here", exit.No, "there is no tenant/nobody-here"},
		{"configmap/none", exit.Unknown, "lives in a namespace"},
		{"configmap/none -n default", exit.No, "there is no configmap/none in default"},
		{"tenant/x -n default", exit.Unknown, "lives in no namespace"},
		{"nonsense/x", exit.Unknown, `the cluster has no kind "nonsense"`},
		{"tenant", exit.Unknown, "does not name one object"},
		{"tenant/a/b", exit.Unknown, "does not name one object"},
		{"tenant/a -o table", exit.Unknown, `there is no output "table"`},
		{"appproject/none", exit.No, "there is no appproject/none in argocd"},
	} {
		code, _, errs := explain(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d, want %d\n%s\nwant %q", c.args, code, c.code, errs, c.says)
		}
	}
}
