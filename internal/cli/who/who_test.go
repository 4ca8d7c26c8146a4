package who_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/internal/who"
)

var env *testenv.Env

func TestMain(m *testing.M) { testenv.Main(m, func(e *testenv.Env) { env = e }) }

// ask runs the command line as a user; empty is the administrator.
func ask(t *testing.T, user string, args ...string) (code int, out, errs string) {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	if user != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"payments-dev"}}
	}
	return asked(t, func() (*rest.Config, error) { return config, nil }, args...)
}

func asked(t *testing.T, config func() (*rest.Config, error), args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr})
	f.Config = config
	code = cli.Run(t.Context(), f, append([]string{"who"}, args...))
	return code, stdout.String(), stderr.String()
}

// nowhere is a command line without a cluster.
func nowhere() (*rest.Config, error) {
	return nil, exit.Failed("no cluster is named", "set KUBECONFIG")
}

func says(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("it says\n%s\nwithout %q", text, want)
		}
	}
}

func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := env.Client.Create(t.Context(), o, client.FieldOwner("kubectl-create")); err != nil {
			t.Fatal(err)
		}
	}
}

// world makes a team with a namespace and a deployment, and a developer who may what the
// contract gives the role edit.
func world(t *testing.T) {
	t.Helper()
	tenant := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "payments"}, Spec: v1alpha1.TenantSpec{
		Access:   []v1alpha1.TenantAccess{{Group: "payments-dev", Role: "edit"}},
		Contacts: v1alpha1.Contacts{Channel: "#payments", OnCall: "payments-oncall"}}}
	labels := map[string]string{"app": "api"}
	create(t, tenant,
		&v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.PlatformSpec{Team: v1alpha1.PlatformTeam{
			Groups: []string{"platform-engineers"}, Contacts: v1alpha1.Contacts{Channel: "#platform", OnCall: "platform-oncall"}}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-payments", Labels: map[string]string{v1alpha1.LabelTenant: "payments"}}},
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-payments", Name: "api"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, Replicas: new(int32(3)),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "api", Image: "nginx:1.27"}}}}}})
	tenant.Status.Namespace = "team-payments"
	if err := env.Client.Status().Update(t.Context(), tenant); err != nil {
		t.Fatal(err)
	}
	developers := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "payments-dev"}}
	for _, role := range contract.Default().Roles() {
		create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, Rules: role.Rules})
	}
	create(t,
		&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "read"}, Subjects: developers,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "demarc:read"}},
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team-payments", Name: "edit"}, Subjects: developers,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "demarc:edit"}})
	testenv.Eventually(t, func() error { // until the API server knows the bindings
		if _, out, errs := ask(t, "lee", "deployment/api", "-n", "team-payments"); !strings.Contains(out, "may read it") {
			return errors.New(out + errs)
		}
		return nil
	})
}

func TestCluster(t *testing.T) {
	world(t)
	t.Run("developer", developer)
	t.Run("stranger", stranger)
	t.Run("administrator", administrator)
	t.Run("delivered", delivered)
	t.Run("wrong questions", wrongQuestions)
	t.Run("fields", fields)
	t.Run("nobody there", nobodyThere)
	t.Run("contract of the cluster", liveContract)
	t.Run("kind of the contract alone", contractAlone)
	t.Run("contract that may not be read", unreadContract)
	t.Run("contract that is not in force", notInForce)
}

func developer(t *testing.T) {
	code, out, errs := ask(t, "lee", "deploy", "api", "-n", "team-payments")
	if code != exit.Done {
		t.Errorf("exit code %d: %s", code, errs)
	}
	says(t, out, "deployment/api in team-payments", "domain application-deployment", "the cluster has no OwnershipContract default",
		"is paged           team payments", "group payments-dev (edit)", "#payments", "/payments/ in repository application",
		"kubectl-create", "You (lee), of team payments (edit)", "may read it, create one, change it, delete it, restart it and scale it",
		"get namespaces team-payments (you may not)")

	code, out, _ = ask(t, "lee", "quota/none", "-n", "team-payments")
	if code != exit.No {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "There is no resourcequota/none in team-payments now", "changes it         the platform", "#platform",
		"may not change it: that is the platform's")

	code, out, _ = ask(t, "lee", "node/n1")
	if code != exit.Done {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "domain node-pools", "get nodes n1 (you may not)", "may do nothing with it", "may not read it: no role of a team has it")
}

// Who has no rights at all gets the answer for the kind, and is told what could not be read.
func stranger(t *testing.T) {
	code, out, errs := asked(t, func() (*rest.Config, error) {
		config := rest.CopyConfig(env.Config)
		config.Impersonate = rest.ImpersonationConfig{UserName: "nobody-we-know"}
		return config, nil
	}, "deployment/api", "-n", "team-payments", "-o", "json")
	var a who.Answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != exit.Done {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	if a.Exists != nil || a.Team != "" || a.Domain.Name != "application-deployment" || a.You == nil || len(a.You.May) > 0 || len(a.Unread) != 5 {
		t.Errorf("it says\n%s", out)
	}
	says(t, a.Parties[0].Missing, "which team namespace team-payments is of could not be read")
	says(t, a.Contract.Why, "could not be read: the cluster may have one that differs")
	if !a.Contract.Unread || a.Contract.Source != "shipped" {
		t.Errorf("the contract is %+v", a.Contract)
	}
	says(t, errs, "note: you may not read OwnershipContract default: the contract that comes with Demarc answers")
}

func administrator(t *testing.T) {
	_, out, _ := ask(t, "", "deployment/api", "-n", "team-payments", "--field", "spec.replicas")
	says(t, out, "spec.replicas of deployment/api", "Set by", "kubectl-create", "holds .spec.replicas")
	_, out, _ = ask(t, "", "--alert", `{alertname="Crash",namespace="team-payments",deployment="api"}`)
	says(t, out, "the alert Crash", "is paged           team payments", "payments-oncall")
	code, out, _ := ask(t, "", "--alert", `{alertname="Crash",namespace="team-payments",pod="long-gone"}`)
	if code != exit.Done {
		t.Errorf("an alert about what is gone ends with %d", code)
	}
	says(t, out, "There is no pod/long-gone in team-payments now")
	_, out, _ = ask(t, "", "--path", "payments/rbac/role.yaml", "-o", "yaml")
	says(t, out, "name: application-rbac", "channel: '#payments'")
	_, out, _ = ask(t, "", "namespace/kube-system")
	says(t, out, "domain namespace-creation")
	_, out, _ = ask(t, "", "secret", "-n", "kube-system")
	says(t, out, "changes it         the platform: the namespace is no team's, so the platform stands in")
}

// From a deployment the way leads over its Application and its claim into Git.
func delivered(t *testing.T) {
	application := func(name string, labels map[string]any, source map[string]any) *unstructured.Unstructured {
		app := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"namespace": "argocd", "name": name, "labels": labels},
			"spec":     map[string]any{"project": "team-payments", "source": source, "destination": map[string]any{"namespace": "team-payments"}}}}
		app.SetGroupVersionKind(argocd.ApplicationKind)
		return app
	}
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "argocd"}},
		application("payments.api", map[string]any{v1alpha1.LabelOwner: "serviceclaim.api", v1alpha1.LabelClaim: "api"},
			map[string]any{"repoURL": "https://git.example.com/platform.git", "path": "charts/service"}),
		application("payments-claims", nil, map[string]any{"repoURL": "https://git.example.com/payments.git", "path": "claims", "targetRevision": "main"}),
		&v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "api",
			Annotations: map[string]string{argocd.TrackingID: "payments-claims:demarc.dev/ServiceClaim:/api"}},
			Spec: v1alpha1.ServiceClaimSpec{Team: "payments", Image: "nginx:1.27"}})
	api := &appsv1.Deployment{}
	if err := env.Client.Get(t.Context(), client.ObjectKey{Namespace: "team-payments", Name: "api"}, api); err != nil {
		t.Fatal(err)
	}
	api.Annotations = map[string]string{argocd.TrackingID: "payments.api:apps/Deployment:team-payments/api"}
	api.Labels = map[string]string{v1alpha1.LabelTeam: "payments", v1alpha1.LabelClaim: "api"}
	if err := env.Client.Update(t.Context(), api, client.FieldOwner("argocd-controller")); err != nil {
		t.Fatal(err)
	}
	steps := []string{"application/payments.api in argocd delivers it", "serviceclaim/api is what the Application is made for",
		"application/payments-claims in argocd delivers serviceclaim/api"}
	_, out, _ := ask(t, "", "deployment/api", "-n", "team-payments")
	says(t, out, append(steps, "claims in https://git.example.com/payments.git at main, by Application argocd/payments-claims")...)
	_, out, _ = ask(t, "lee", "deployment/api", "-n", "team-payments") // who may not read Applications
	says(t, out, append(steps, "/payments/ in repository application", "get applications.argoproj.io payments.api in argocd (you may not)")...)
}

// What cannot be answered ends with words and a code of its own.
func wrongQuestions(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exit.Unknown, "ask about one thing"},
		{[]string{"deployment/api", "--path", "x"}, exit.Unknown, "ask about one thing"},
		{[]string{"deployment/api"}, exit.Unknown, "lives in a namespace"},
		{[]string{"deployment/api", "-n", "nowhere"}, exit.No, "there is no deployment/api in nowhere"},
		{[]string{"tenant/x", "-n", "default"}, exit.Unknown, "lives in no namespace"},
		{[]string{"tenant/x"}, exit.No, "there is no tenant/x"},
		{[]string{"nonsense/x"}, exit.Unknown, `the cluster has no kind "nonsense"`},
		{[]string{"deploymnt"}, exit.Unknown, `the cluster has no kind "deploymnt"; did you mean deployment?`},
		{[]string{"deploymnts.apps/api", "-n", "x"}, exit.Unknown, "did you mean deployments?"},
		{[]string{"deployment/..", "-n", "team-payments"}, exit.Unknown, `".." is no name of an object`},
		{[]string{"deployment", ".", "-n", "team-payments"}, exit.Unknown, `"." is no name of an object`},
		{[]string{"deployment/a\u202eb", "-n", "team-payments"}, exit.Unknown, "is no name of an object"},
		{[]string{"deployment/" + strings.Repeat("a", 254), "-n", "team-payments"}, exit.Unknown, "is no name of an object"},
		{[]string{"deployment/api", "-n", ".."}, exit.Unknown, `".." is no name of a namespace`},
		{[]string{"deployment", "-n", "a\nb"}, exit.Unknown, `"a\nb" is no name of a namespace`},
		{[]string{"deployment", "-n", "Team"}, exit.Unknown, `"Team" is no name of a namespace`},
		{[]string{"deployment", "--field", ""}, exit.Unknown, "--field is given and empty"},
		{[]string{"deployment", "-n", ""}, exit.Unknown, "--namespace is given and empty"},
		{[]string{"--path", ""}, exit.Unknown, "--path is given and empty"},
		{[]string{"--alert", ""}, exit.Unknown, "--alert is given and empty"},
		{[]string{"--path", "x", "--repository", ""}, exit.Unknown, "--repository is given and empty"},
		{[]string{"deployment/"}, exit.Unknown, "does not name one object"},
		{[]string{"deployment/a/b"}, exit.Unknown, "does not name one object"},
		{[]string{"deployment/a", "b"}, exit.Unknown, "does not name one object"},
		{[]string{"a", "b", "c"}, exit.Unknown, "at most 2"},
		{[]string{"deployment", "-o", "table"}, exit.Unknown, `there is no output "table"`},
		{[]string{"deployment", "--field", "spec..x"}, exit.Unknown, "is no field"},
		{[]string{"--field", "spec", "--path", "x"}, exit.Unknown, "--field is of an object"},
		{[]string{"-n", "x", "--path", "x"}, exit.Unknown, "--namespace belongs to"},
		{[]string{"deployment", "--repository", "x"}, exit.Unknown, "--repository belongs to --path"},
		{[]string{"deployment", "--offline", "-f", "x"}, exit.Unknown, "give one of them"},
		{[]string{"deployment", "-R"}, exit.Unknown, "--recursive belongs to -f"},
		{[]string{"--alert", "{"}, exit.Unknown, "the labels do not end with }"},
		{[]string{"--alert", `{severity="page"}`}, exit.Unknown, "nothing in these labels says what they are about"},
		{[]string{"--path", "../x"}, exit.Unknown, "leads out of a folder"},
		{[]string{"--path", "README.md"}, exit.No, "no path of the contract covers README.md"},
		{[]string{"--path", "x", "--repository", "none"}, exit.Unknown, `no repository "none"`},
		{[]string{"deployment", "-f", "/not/there"}, exit.Unknown, "no such file"},
	} {
		code, _, errs := ask(t, "", c.args...)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit code %d, want %d\n%s\nwant %q", c.args, code, c.code, errs, c.says)
		}
		if strings.Contains(errs, "--offline asks") { // the cluster answers
			t.Errorf("%q: it is sent elsewhere:\n%s", c.args, errs)
		}
	}
}

// The contract of the cluster is the one that answers, for kinds that it alone knows too.
func liveContract(t *testing.T) {
	live := &v1alpha1.OwnershipContract{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.OwnershipContractSpec{
		Decisions: []v1alpha1.ContractDecision{{Name: "talk", How: "We \x1b[2Jtalk."}},
		Domains: []v1alpha1.ContractDomain{{Name: "ours", Creates: "team", Modifies: "team", Approves: "shared", Monitors: "team", Paged: "team", Deletes: "nobody",
			ChangePath: "git", Decision: "talk", Resources: []v1alpha1.ContractResource{{Group: "apps", Kinds: []string{"Deployment"}}}}}}}
	create(t, live)
	_, out, _ := ask(t, "lee", "deployment/api", "-n", "team-payments")
	says(t, out, "By OwnershipContract default of this cluster.", "domain ours", "the platform and team payments: both, by talk", "We [2Jtalk.",
		"deletes it         nobody: no person deletes it", "in Git, and not in the cluster")
	if strings.Contains(out, "\x1b") {
		t.Errorf("control characters of the cluster are printed: %q", out)
	}
	_, out, _ = ask(t, "lee", "secret", "-n", "team-payments")
	says(t, out, "domain unlisted", "changes it         the platform")
}

// Without a cluster it says so and takes no other contract; with --offline or -f it needs
// none.
func TestNowhere(t *testing.T) {
	code, out, errs := asked(t, nowhere, "deployment")
	if code != exit.Unknown || out != "" {
		t.Errorf("exit code %d: %s", code, out)
	}
	says(t, errs, "no cluster is named", "--offline")
	gone := func() (*rest.Config, error) { return &rest.Config{Host: "https://127.0.0.1:1"}, nil }
	for _, args := range [][]string{{"deployment"}, {"--path", "payments/x.yaml"}, {"--alert", `{node="n"}`}} {
		if code, out, errs := asked(t, gone, args...); code != exit.Unknown || out != "" || !strings.Contains(errs, "--offline") {
			t.Errorf("%q: exit code %d: %s%s", args, code, out, errs)
		}
	}
	code, out, _ = asked(t, nowhere, "deploy", "--offline", "-n", "team-shop")
	if code != exit.Done {
		t.Errorf("exit code %d", code)
	}
	says(t, out, "no cluster was asked", "team shop", "by its name alone")
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"list.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: team-shop, labels: {demarc.dev/tenant: shop}}\n" +
			"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: once, namespace: team-shop}\n" +
			"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: twice, namespace: team-shop}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: twice, namespace: other}\n",
		"deep/tenant.yaml": "apiVersion: demarc.dev/v1alpha1\nkind: Tenant\nmetadata: {name: shop}\nspec: {contacts: {channel: '#shop'}}\n---\n" +
			"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: team-shop}\n",
		"bad/x.yaml": "a: b: c\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	deep := filepath.Join(dir, "deep")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"cm/once", "-f", dir}, exit.Done, "get tenants.demarc.dev shop: no Tenant is in the files"},
		{[]string{"cm/once", "-f", dir, "-f", deep}, exit.Done, "#shop"},
		{[]string{"cm/once", "-f", dir, "-f", deep}, exit.Done, "kubectl get --show-managed-fields"},
		{[]string{"cm/twice", "-f", dir}, exit.Unknown, "is in several namespaces: other, team-shop"},
		{[]string{"cm/twice", "-n", "team-shop", "-f", dir}, exit.Done, "team shop"},
		{[]string{"cm/none", "-f", dir}, exit.No, "there is no configmap/none"},
		{[]string{"cm/none", "-n", "team-shop", "-f", dir}, exit.No, "there is no configmap/none in team-shop"},
		{[]string{"cm/none", "-n", "team-none", "-f", dir}, exit.Unknown, "get configmaps none in team-none: nothing of namespace team-none is in the files"},
		{[]string{"deployment/web", "-n", "team-shop", "-f", dir}, exit.Unknown, "whether there is deployment/web in team-shop cannot be told from the files"},
		{[]string{"deployment/web", "-n", "team-shop", "-f", dir}, exit.Unknown, "get deployments.apps web in team-shop: no Deployment is in the files"},
		{[]string{"deployment/web", "-n", "team-shop", "-f", dir}, exit.Unknown, "is paged           team shop"},
		{[]string{"cm/once", "-f", dir, "--field", "dat"}, exit.Unknown, "ConfigMap has no field dat: did you mean data?"},
		{[]string{"cm/once", "-f", dir, "--field", "metadata.name"}, exit.Done, "metadata.name of configmap/once"},
		{[]string{"widget/w", "-f", deep, "--field", "spec.nope"}, exit.Done, "has no field spec.nope now"},
		{[]string{"deploymnt", "-f", deep}, exit.Unknown, `no kind "deploymnt" is known; did you mean deployment?`},
		{[]string{"--path", "nopath/x.yaml", "-f", deep}, exit.No, "there is no Tenant nopath, whose nopath/x.yaml would be"},
		{[]string{"--path", "nopath/x.yaml", "-f", dir}, exit.Done, "Tenant nopath is not in the files"},
		{[]string{"widget/w", "-f", deep}, exit.Done, "domain unlisted"},
		{[]string{"gadget/w", "-f", deep}, exit.Unknown, `no kind "gadget" is known`},
		{[]string{"node/n", "-n", "x", "-f", deep}, exit.Unknown, "lives in no namespace"},
		{[]string{"cm/once", "-R", "-f", dir}, exit.Unknown, "this is no YAML"},
		{[]string{"--alert", `{namespace="team-shop",configmap="once"}`, "-f", dir, "-f", deep}, exit.Done, "#shop"},
	} {
		code, out, errs := asked(t, nowhere, c.args...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%q: exit code %d, want %d\n%s%s\nwant %q", c.args, code, c.code, out, errs, c.says)
		}
	}
}
