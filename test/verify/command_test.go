package verify

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/testenv"
)

// run is demarc contract verify as a user; empty is the administrator.
func run(t *testing.T, user string, args ...string) (code int, out, errs string) {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	if user != "" {
		config.Impersonate = rest.ImpersonationConfig{UserName: user}
	}
	return runWith(t, config, args...)
}

func runWith(t *testing.T, config *rest.Config, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	f := factory.New("demarc", factory.IO{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr})
	f.Config = func() (*rest.Config, error) { return config, nil }
	code = cli.Run(t.Context(), f, append([]string{"contract", "verify"}, args...))
	return code, stdout.String(), stderr.String()
}

// command runs the verb: clean as the administrator; as somebody who may not look it says
// what it takes, and never that all is well.
func command(t *testing.T) {
	code, out, errs := run(t, "", "--team", "payments", "--probe")
	if code != exit.Done || errs != "" || !strings.Contains(out, "0 errors, 0 warnings, ") || !strings.Contains(out, " requests made.") {
		t.Errorf("as the administrator: exit code %d\n%s%s", code, out, errs)
	}
	code, out, errs = run(t, "passer-by")
	if code != exit.Unknown || !strings.Contains(errs, "could not be told") || !strings.Contains(out, "not read: list clusterrolebindings.rbac.authorization.k8s.io") {
		t.Errorf("as somebody who may not look: exit code %d\n%s%s", code, out, errs)
	}
	code, _, errs = run(t, "", "--team", "nobody")
	if code != exit.Unknown || !strings.Contains(errs, `there is no Tenant "nobody"`) {
		t.Errorf("a team that is not there: exit code %d: %s", code, errs)
	}
}

// unimpersonating is a ServiceAccount that may read everything and act as nobody.
func unimpersonating(t *testing.T) {
	made := tamper(t, []byte(`apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: ServiceAccount, namespace: default, name: reader}]
`))
	c, err := kubernetes.NewForConfig(env.Config)
	must(t, err)
	token, err := c.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "reader", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	must(t, err)
	as := &rest.Config{Host: env.Config.Host, BearerToken: token.Status.Token, TLSClientConfig: rest.TLSClientConfig{CAData: env.Config.CAData}}
	testenv.EventuallyWithin(t, patience, func() error {
		if code, out, errs := runWith(t, as); code != exit.No || !strings.Contains(out, "OC004  ClusterRoleBinding/reader") {
			return fmt.Errorf("exit code %d\n%s%s", code, out, errs)
		}
		return nil
	})
	code, out, errs := runWith(t, as, "--probe")
	if code != exit.Unknown || out != "" || !strings.Contains(errs, "cannot impersonate") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	code, _, errs = run(t, "passer-by", "--probe")
	if code != exit.Unknown || !strings.Contains(errs, "you act as passer-by already") {
		t.Errorf("who acts as another: exit code %d: %s", code, errs)
	}
	for _, o := range made {
		must(t, env.Client.Delete(t.Context(), o))
	}
}
