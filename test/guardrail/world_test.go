// Package guardrail tries the rules on a real API server: what each refuses and what it
// lets pass, to whom, when, and what happens where something is missing.
package guardrail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/compile"
	"demarc.dev/demarc/internal/testenv"
)

// env is the API server; auditLog is where it writes who did what.
var (
	env      *testenv.Env
	auditLog string
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	code, err := run(m)
	if err != nil {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "demarc-guardrail-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	auditLog = filepath.Join(dir, "audit.log")
	policy := filepath.Join(dir, "audit.yaml")
	if err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"), 0o600); err != nil {
		return 1, err
	}
	env, err = testenv.Start(false, func(e *envtest.Environment) {
		e.CRDs = append(e.CRDs, routes())
		e.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", policy).Set("audit-log-path", auditLog)
	})
	if err != nil {
		return 1, fmt.Errorf("start a real API server (build the programs with make test): %w", err)
	}
	if err := install(context.Background()); err != nil {
		return 1, errors.Join(err, env.Stop())
	}
	code := m.Run()
	return code, env.Stop()
}

// install makes the sets and the rules, and waits until these refuse.
func install(ctx context.Context) error {
	for _, name := range guardrail.SetNames() {
		if err := env.Client.Create(ctx, set(name)); err != nil {
			return err
		}
	}
	if err := env.Client.Create(ctx, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "team-high"}, Value: 100}); err != nil {
		return err
	}
	for _, r := range guardrail.Catalogue() {
		for _, name := range []string{r.ID, excepted(r.ID), teamOf(r.ID, v1alpha1.GuardrailWarn), teamOf(r.ID, v1alpha1.GuardrailAudit)} {
			if err := team(ctx, name); err != nil {
				return err
			}
		}
	}
	for _, o := range installed() {
		if err := env.Client.Create(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.GetName(), err)
		}
	}
	return awaitRules(ctx)
}

// set of this name, in which each rule holds for one team: of the rule's name, with the mode
// after it where that is not deny. Limits and domains are in the sets of deny alone.
func set(name string) *v1alpha1.GuardrailSet {
	h, mode := guardrail.Holds{Rules: map[string]guardrail.Scope{}, Domains: map[string][]string{}}, guardrail.ModeOfSet(name)
	for _, r := range guardrail.Catalogue() {
		switch {
		case r.Set(mode) != name:
			continue
		case mode != v1alpha1.GuardrailDeny:
			h.Rules[r.ID] = guardrail.Scope{Teams: []string{teamOf(r.ID, mode)}}
			continue
		}
		h.Rules[r.ID] = guardrail.Scope{Teams: []string{r.ID, excepted(r.ID)}}
		for team, names := range r.Domains {
			h.Domains[strings.ReplaceAll(team, "TEAM", teamOf(r.ID, mode))] = names
		}
		join(&h.Limits, r.Limits)
	}
	return &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: h.Spec()}
}

func teamOf(rule string, mode v1alpha1.GuardrailMode) string {
	if mode == v1alpha1.GuardrailDeny {
		return rule
	}
	return rule + "-" + string(mode)
}

// team makes a team's namespace.
func team(ctx context.Context, name string) error {
	return env.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: v1alpha1.NamespaceOf(name), Labels: map[string]string{v1alpha1.LabelTenant: name}}})
}

// installed are the policies and bindings of all rules, and what fills in, as the chart
// ships them.
func installed() (all []*unstructured.Unstructured) {
	chart, err := testenv.Chart("demarc-system", "argocd")
	if err != nil {
		panic(err)
	}
	for _, o := range chart {
		if strings.HasPrefix(o.GetName(), compile.Prefix) || strings.HasPrefix(o.GetKind(), "MutatingAdmissionPolicy") {
			all = append(all, o)
		}
	}
	return all
}

// awaitRules waits until every rule refuses its bad example.
func awaitRules(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for _, r := range guardrail.Catalogue() {
		bad, err := guardrail.Example(r.Bad)
		if err != nil {
			return fmt.Errorf("%s: %w", r.ID, err)
		}
		bad.SetNamespace(v1alpha1.NamespaceOf(r.ID))
		for {
			err := env.Client.Create(ctx, bad.DeepCopy(), client.DryRunAll)
			if refusedBy(r.ID, err) {
				break
			}
			if ctx.Err() != nil {
				return fmt.Errorf("rule %s does not refuse its bad example: %w", r.ID, err)
			}
			<-time.After(100 * time.Millisecond)
		}
	}
	return nil
}

// refusedBy says whether a rule refused a request by what it found, and not by an error.
func refusedBy(rule string, err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "denied request: "+rule+": ")
}

// warnings collects the warning headers of a client's requests.
type warnings struct {
	mu   sync.Mutex
	list []string
}

func (w *warnings) HandleWarningHeader(code int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if code == 299 {
		w.list = append(w.list, text)
	}
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.list
}

// as is a client of somebody's; nobody is who tests otherwise are.
func as(t *testing.T, user string, groups ...string) (client.Client, *warnings) {
	t.Helper()
	config, seen := rest.CopyConfig(env.Config), &warnings{}
	config.WarningHandler = seen
	if user != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	}
	c, err := client.New(config, client.Options{Scheme: env.Client.Scheme()})
	must(t, err)
	return c, seen
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
