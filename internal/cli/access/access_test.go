package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// cluster answers as an API server does to ana, with these objects. What she may not do is
// named as "get Platform".
func cluster(t *testing.T, mayNot []string, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme, err := factory.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	forbidden := func(verb string, o client.Object) error {
		kind := strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1alpha1.")
		if !slices.Contains(mayNot, verb+" "+kind) {
			return nil
		}
		return apierrors.NewForbidden(schema.GroupResource{Group: "demarc.dev", Resource: strings.ToLower(kind) + "s"}, "", errors.New("you may not"))
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := forbidden("get", o); err != nil {
				return err
			}
			return c.Get(ctx, key, o, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if review, ok := o.(*authenticationv1.SelfSubjectReview); ok {
				review.Status.UserInfo.Username = "ana"
				return nil
			}
			return c.Create(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if err := forbidden("patch", o); err != nil {
				return err
			}
			return c.Patch(ctx, o, patch, opts...)
		},
	}).Build()
}

// demarc runs one of the two verbs.
func demarc(t *testing.T, c client.WithWatch, args ...string) (code int, out, says string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr})
	f.Clock = clocktesting.NewFakePassiveClock(noon)
	f.Client = func() (client.WithWatch, error) { return c, nil }
	root := NewCmdAccess(f)
	if args[0] == "budget" {
		root = NewCmdBudget(f)
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(args[1:])
	err := root.ExecuteContext(t.Context())
	return exit.Code(err), stdout.String(), stderr.String() + exit.Text(err)
}

func tenant(name string) *v1alpha1.Tenant {
	cpu, memory, pods := intstr.FromInt32(2), intstr.FromString("4Gi"), int64(10)
	return &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.TenantSpec{Resources: &v1alpha1.Budget{CPU: &cpu, Memory: &memory, Pods: &pods}}}
}

func platform() *v1alpha1.Platform {
	cpu := intstr.FromInt32(8)
	return &v1alpha1.Platform{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.PlatformSpec{
		Ceiling: &v1alpha1.Budget{CPU: &cpu}, Access: v1alpha1.PlatformAccess{MaxHours: 4}}}
}

// What the operator would refuse is not asked for, as far as that can be read here.
func TestForetold(t *testing.T) {
	going := tenant("going")
	now := metav1.NewTime(noon)
	going.DeletionTimestamp, going.Finalizers = &now, []string{"x.example/y"}
	objects := []client.Object{tenant("payments"), going, platform()}
	access := func(team, lasts string) []string {
		return []string{"access", "request", team, "--role", "view", "--for", lasts, "--reason", "r"}
	}
	budget := func(rest ...string) []string {
		return append([]string{"budget", "request", "payments", "--reason", "r"}, rest...)
	}
	for name, c := range map[string]struct {
		objects []client.Object
		mayNot  []string
		args    []string
		code    int
		says    string
	}{
		"possible":                           {objects, nil, access("payments", "4h"), 0, "Next: somebody else who may approve it runs: demarc access approve "},
		"too long":                           {objects, nil, access("payments", "4h1m"), 1, "cannot ask for access: it asks for 4h1m, and the platform gives access for 4h at most\nNext: ask anew for less time, or have the platform"},
		"too long where nothing is said":     {objects[:2], nil, access("payments", "9h"), 1, "gives access for 8h at most"},
		"too long, and nobody can tell":      {objects, []string{"get Platform"}, access("payments", "30d"), 0, ""},
		"no such team":                       {objects, nil, access("payment", "1h"), 1, "cannot ask for access: there is no Tenant payment\nNext: ask anew with the name of a Tenant that is there"},
		"no such team, and nobody can tell":  {objects, []string{"get Tenant"}, access("payment", "1h"), 0, ""},
		"a team that goes":                   {objects, nil, access("going", "1h"), 1, "cannot ask for access: Tenant going is being deleted"},
		"a raise":                            {objects, nil, budget("--cpu", "4", "--for", "30d"), 0, ""},
		"no raise":                           {objects, nil, budget("--cpu", "2"), 1, "cannot ask for a budget: it asks for no more than the Tenant's spec.resources gives (cpu 2, memory 4Gi, pods 10)"},
		"above the ceiling":                  {objects, nil, budget("--cpu", "9"), 1, "it asks for more than the platform's ceiling: cpu 9 (ceiling 8)\nNext: ask anew for less"},
		"above a ceiling that nobody reads":  {objects, []string{"get Platform"}, budget("--cpu", "9"), 0, ""},
		"of what nobody can tell that it is": {objects, []string{"get Tenant"}, budget("--cpu", "2"), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after v1alpha1.AccessGrantList
			cl := cluster(t, c.mayNot, c.objects...)
			if err := cl.List(t.Context(), &before); err != nil {
				t.Fatal(err)
			}
			code, out, says := demarc(t, cl, c.args...)
			if code != c.code || !strings.Contains(says, c.says) || (out == "") != (code != 0) {
				t.Errorf("it ends with %d, prints %q and says %q; want %d, %q", code, out, says, c.code, c.says)
			}
			if err := cl.List(t.Context(), &after); err != nil || code != 0 && len(after.Items) > len(before.Items) {
				t.Errorf("it is asked for all the same: %v %v", after.Items, err)
			}
		})
	}
}

// Wrong usage is told from a refusal, and names what is wrong.
func TestUsage(t *testing.T) {
	ask := []string{"access", "request", "payments", "--role", "view", "--reason", "r"}
	raise := []string{"budget", "request", "payments", "--cpu", "4", "--reason", "r"}
	for _, c := range []struct {
		args []string
		more []string
		says string
	}{
		{ask, []string{"--for", "90s"}, "it is given in whole minutes, and 90s is none"},
		{ask, []string{"--for", "soon"}, "it is no duration such as 90m, 1h30m or 30d"},
		{ask, []string{"--for", "1.5h"}, "whole numbers"},
		{ask, []string{"--for", "-1h"}, "it is no duration"},
		{ask, []string{"--for", "0"}, "a minute at least"},
		{raise, []string{"--for", "0"}, "--for is a minute at least"},
		{ask, []string{"--for", "1h", "--service-account", "a/b/c"}, `--service-account "a/b/c" names no account: write NAMESPACE/NAME`},
		{ask, []string{"--for", "1h", "--service-account", "a"}, "names no account"},
		{ask, []string{"--for", "1h", "--service-account", "/a"}, "names no account"},
		{ask, []string{"--for", "1h", "--service-account", "a/"}, "names no account"},
		{ask, []string{"--for", "1h", "-o", "json"}, `there is no output "json": take one of text, name`},
		{ask, []string{"--for", "1h", "--name", "a b"}, `"a b" is no name`},
		{[]string{"access", "list"}, []string{"--team", " "}, `" " is no name`},
		{[]string{"access", "list"}, []string{"-o", "name"}, "take one of text, json, yaml"},
		{[]string{"access", "approve"}, []string{"budget/a"}, `"budget/a" is no name`},
	} {
		code, out, says := demarc(t, nil, append(c.args, c.more...)...)
		if code != 2 || out != "" || !strings.Contains(says, c.says) {
			t.Errorf("%v ends with %d, prints %q and says %q; want %q", c.more, code, out, says, c.says)
		}
	}
}

// A duration is taken as Prometheus writes it, and told in hours and minutes.
func TestFor(t *testing.T) {
	for text, want := range map[string]string{"90m": "1h30m", "30d": "720h", "1w2d": "216h", "2h": "2h", "1h0m60s": "1h1m", "366d": "8784h"} {
		cl := cluster(t, nil, tenant("payments"))
		if code, out, says := demarc(t, cl, "budget", "request", "payments", "--cpu", "4", "--reason", "r", "--for", text, "--name", "b"); code != 0 || !strings.Contains(out, ", for "+want+": ") {
			t.Fatalf("%s ends with %d, prints %q and says %q", text, code, out, says)
		}
		b := &v1alpha1.BudgetRequest{}
		if err := cl.Get(t.Context(), client.ObjectKey{Name: "b"}, b); err != nil || b.Spec.Duration != want {
			t.Errorf("%s is written as %q, want %q: %v", text, b.Spec.Duration, want, err)
		}
	}
}

func TestSameName(t *testing.T) {
	cl := cluster(t, nil, tenant("payments"))
	ask := []string{"access", "request", "payments", "--role", "view", "--for", "1h", "--reason", "r", "--name", "ok", "-o", "name"}
	if code, out, says := demarc(t, cl, ask...); code != 0 || out != "accessgrant.demarc.dev/ok\n" || !strings.Contains(says, "ana asks for view for user ana in team payments, for 1h: access grant ok\nNext: ") {
		t.Fatalf("it ends with %d, prints %q and says %q", code, out, says)
	}
	if code, out, says := demarc(t, cl, ask...); code != 1 || out != "" || says != "access grant ok is there already\nNext: take another --name, or leave it out and the cluster makes one" {
		t.Errorf("once more it ends with %d, prints %q and says %q", code, out, says)
	}
}
