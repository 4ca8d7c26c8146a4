package triage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	verb "demarc.dev/demarc/internal/cli/triage"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// cluster are kinds that are not in a namespace.
var cluster = []string{"Node", "Namespace", "Tenant", "ServiceClaim", "Platform", "OwnershipContract", "StorageClass", "IngressClass", "APIService",
	"CustomResourceDefinition", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ClusterIssuer", "ClusterSecretStore"}

// live runs the verb on a cluster in memory that holds these objects; logs answers for logs.
func live(t *testing.T, text string, refuses func(namespace, kind string) bool, logs http.HandlerFunc, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	parsed, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set := &snapshot.Set{}
	set.Add(parsed...)
	var served []schema.GroupVersion
	for _, kind := range triage.Kinds {
		served = append(served, kind.WithVersion("v1").GroupVersion())
	}
	mapper := meta.NewDefaultRESTMapper(served)
	for _, kind := range triage.Kinds {
		scope := meta.RESTScopeNamespace
		if slices.Contains(cluster, kind.Kind) {
			scope = meta.RESTScopeRoot
		}
		mapper.Add(kind.WithVersion("v1"), scope)
	}
	list := func(_ context.Context, _ client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
		gvk, namespace := into.GetObjectKind().GroupVersionKind(), (&client.ListOptions{}).ApplyOptions(options).Namespace
		kind := schema.GroupKind{Group: gvk.Group, Kind: strings.TrimSuffix(gvk.Kind, "List")}
		if refuses != nil && refuses(namespace, kind.Kind) {
			return apierrors.NewForbidden(schema.GroupResource{Resource: kind.Kind}, "", errors.New("no"))
		}
		for _, o := range set.Of(kind) {
			if namespace != "" && o.GetNamespace() != namespace {
				continue
			}
			switch to := into.(type) {
			case *metav1.PartialObjectMetadataList:
				to.Items = append(to.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: o.GetNamespace(), Name: o.GetName()}})
			case *unstructured.UnstructuredList:
				to.Items = append(to.Items, *o.DeepCopy())
			}
		}
		return nil
	}
	inMemory := fake.NewClientBuilder().WithRESTMapper(mapper).WithInterceptorFuncs(interceptor.Funcs{List: list}).Build()
	server := httptest.NewServer(logs)
	defer server.Close()
	var out, errOut bytes.Buffer
	f := factory.New("demarc", factory.IO{Out: &out, ErrOut: &errOut})
	f.Clock = testclock.NewFakePassiveClock(now)
	f.Config = func() (*rest.Config, error) { return &rest.Config{Host: server.URL}, nil }
	f.Client = func() (client.WithWatch, error) { return inMemory, nil }
	f.Discovery = func() (discovery.DiscoveryInterface, error) { return nil, nil }
	cmd := verb.NewCmdTriage(f, nil)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.ExecuteContext(t.Context())
	return exit.Code(err), out.String(), errOut.String() + exit.Text(err)
}

func noLogs(t *testing.T) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it asks for %s", r.URL) }
}

// Of a cluster the same is found as of its dump, and no log is read that nobody asked for.
func TestLive(t *testing.T) {
	for _, name := range []string{"together-five", "together-quota", "together-memory-shared"} {
		text := objects(t, name)
		code, out, errs := live(t, text, nil, noLogs(t), "--all", "-o", "json")
		_, want, _ := ask(t, text, "-f", "-", "-o", "json")
		cut := func(s string) string { s, _, _ = strings.Cut(s, `"unread"`); return s }
		if code != exit.No || errs != "" || cut(out) != cut(want) {
			t.Errorf("%s: %d %s\n%s\nwant\n%s", name, code, errs, out, want)
		}
	}
}

// The end of the log of the container that fails is read where it is asked for, without secrets.
func TestLogs(t *testing.T) {
	var asked []url.URL
	serve := func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, *r.URL)
		fmt.Fprint(w, "connecting\nDB_PASSWORD=open-sesame\npostgres://app:open-sesame@db/app\n\x1b[31mrefused\n")
	}
	code, out, errs := live(t, objects(t, "DM103"), nil, serve, "--all", "--logs")
	if code != exit.No || errs != "" || len(asked) != 1 {
		t.Fatalf("%d %s, asked %v\n%s", code, errs, asked, out)
	}
	query := asked[0].Query()
	if !strings.HasSuffix(asked[0].Path, "/log") || query.Get("container") != "app" || query.Get("tailLines") == "" || query.Get("limitBytes") == "" {
		t.Errorf("it asks for %s", asked[0].String())
	}
	if strings.Contains(out, "sesame") || strings.Contains(out, "\x1b") || !strings.Contains(out, "\n             connecting\n") || !strings.Contains(out, "\n             refused\n") {
		t.Errorf("%s", out)
	}
	_, out, _ = live(t, objects(t, "DM103"), nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "--all", "--logs")
	if !strings.Contains(out, "you may not get pods/log in team-dm103") {
		t.Errorf("%s", out)
	}
}

// Beyond what is asked about not to be let look is told; in it, it is no answer.
func TestPartly(t *testing.T) {
	text := objects(t, "together-normal")
	beyond := func(namespace, _ string) bool { return namespace == "" }
	code, out, errs := live(t, text, beyond, noLogs(t), "--team", "payments")
	if code != exit.Done || errs != "" || !strings.Contains(out, "not read what lives in other namespaces") || !strings.Contains(out, "as far as could be read") || !strings.Contains(out, "nodes") {
		t.Errorf("%d %s\n%s", code, errs, out)
	}
	secrets := func(namespace, kind string) bool { return namespace == "" || kind == "Secret" }
	code, out, errs = live(t, text, secrets, noLogs(t), "--team", "payments")
	if code != exit.Done || errs != "" || !strings.Contains(out, "not read list secrets in team-payments") {
		t.Errorf("%d %s\n%s", code, errs, out)
	}
	within := func(namespace, kind string) bool { return namespace == "" || kind == "Service" }
	code, out, errs = live(t, text, within, noLogs(t), "--team", "payments")
	if code != exit.Unknown || !strings.Contains(errs, "nothing was found, and not all could be read: list services in team-payments") || !strings.Contains(out, "not read list services in team-payments") {
		t.Errorf("%d %s\n%s", code, errs, out)
	}
	code, _, errs = live(t, text, beyond, noLogs(t), "--all")
	if code != exit.Unknown || !strings.Contains(errs, "not all could be read") {
		t.Errorf("%d %s", code, errs)
	}
	if code, _, errs := live(t, text, nil, noLogs(t), "--team", "nobody"); code != exit.Unknown || !strings.Contains(errs, `there is no tenant "nobody"`) {
		t.Errorf("%d %s", code, errs)
	}
}
