package operator_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"demarc.dev/demarc/internal/operator"
	"demarc.dev/demarc/internal/testenv"
)

var controllers = []string{"argocd", "platform", "ownershipcontract", "tenant", "accessgrant", "budgetrequest", "guardrail", "guardrailexception", "serviceclaim"}

// Every controller moves, says when it last did, and is a check of readiness.
func TestControllersMove(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	probes, figures := freeAddress(t), freeAddress(t)
	env.Run(t, operator.Options{MetricsAddress: figures, ProbeAddress: probes, Clock: clocktesting.NewFakePassiveClock(start)})
	for _, c := range controllers {
		answers(t, probes+"/readyz/controller-"+c, http.StatusOK, "ok")
		answers(t, figures+"/metrics", http.StatusOK, `demarc_controller_heartbeat_timestamp_seconds{controller="`+c+`"} 1.7e+09`)
	}
	answers(t, probes+"/readyz", http.StatusOK, "ok")
}

// A controller whose caches cannot sync never begins, which no error and no condition
// would tell: readiness does, with the kind and the reason.
func TestControllerThatCannotBegin(t *testing.T) {
	all := []string{"*"}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "all-but-quotas"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"apps", "batch", "rbac.authorization.k8s.io", "networking.k8s.io", "apiextensions.k8s.io", "events.k8s.io", "argoproj.io", "demarc.dev"},
			Resources: all, Verbs: all},
		{APIGroups: []string{""}, Resources: []string{"namespaces", "serviceaccounts", "limitranges", "configmaps", "pods"}, Verbs: all},
	}}
	create(t, env, role, boundTo("limited", role.Name))
	probes, figures := freeAddress(t), freeAddress(t)
	as(t, "limited").Run(t, operator.Options{MetricsAddress: figures, ProbeAddress: probes})
	for _, c := range controllers { // they share a cache, and none begins before all of it is there
		answers(t, probes+"/readyz/controller-"+c, http.StatusInternalServerError,
			"controller "+c+` has not begun: these caches have not synced: ResourceQuota (resourcequotas is forbidden: User "limited" cannot list`)
		answers(t, figures+"/metrics", http.StatusOK, `demarc_controller_heartbeat_timestamp_seconds{controller="`+c+`"} 0`)
	}
	answers(t, probes+"/readyz", http.StatusInternalServerError, "[-]controller-tenant failed")
}

// A worker that hangs is told from one with nothing to do.
func TestControllerThatHangs(t *testing.T) {
	now := clocktesting.NewFakePassiveClock(time.Now())
	probes := freeAddress(t)
	answer, hangs := make(chan struct{}), make(chan struct{})
	hang := sync.OnceFunc(func() { close(hangs) })
	config := rest.CopyConfig(env.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/clusterroles/demarc:view") {
				hang()
				select {
				case <-answer:
				case <-req.Context().Done():
				}
			}
			return next.RoundTrip(req)
		})
	})
	(&testenv.Env{Config: config, Client: env.Client}).Run(t, operator.Options{MetricsAddress: "0", ProbeAddress: probes, Clock: now})
	answers(t, probes+"/readyz/controller-tenant", http.StatusOK, "ok")
	select { // a beat that comes after the clock has moved, and before it hangs, would be the last
	case <-hangs:
	case <-time.After(2 * time.Minute):
		t.Fatal("nobody asked for the role view")
	}
	now.SetTime(now.Now().Add(130 * time.Second))
	answers(t, probes+"/readyz/controller-platform", http.StatusInternalServerError, "controller platform has not moved for 2m10s")
	answers(t, probes+"/readyz/controller-tenant", http.StatusOK, "ok")
	answers(t, probes+"/readyz/controller-platform", http.StatusInternalServerError, "controller platform has not moved for 2m10s")
	close(answer)
	answers(t, probes+"/readyz", http.StatusOK, "ok")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// as is the same API server for a user of no other rights than what is bound to it.
func as(t *testing.T, user string) *testenv.Env {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	return &testenv.Env{Config: config, Client: env.Client}
}

func boundTo(user, role string) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: user + "-" + role},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}}}
}

// answers waits for a status and a text; a beat comes every ten seconds.
func answers(t *testing.T, url string, status int, text string) {
	t.Helper()
	testenv.EventuallyWithin(t, 2*time.Minute, func() error {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != status || !bytes.Contains(body, []byte(text)) {
			return fmt.Errorf("%s: %s %s (%v)", url, resp.Status, shorten(body), err)
		}
		return nil
	})
}

func shorten(body []byte) string { return string(body[:min(len(body), 2000)]) }
