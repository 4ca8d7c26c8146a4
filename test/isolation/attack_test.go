package isolation

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// attack is one request through kubectl, and what its refusal says.
type attack struct {
	// what it is, as docs/isolation.md says it.
	what string
	// who makes it: a role in the attacker's team, or "pipeline".
	who string
	// args are kubectl's, without quotes, or a method and a path where kubectl would ask
	// for something else first. VICTIMPOD, VICTIMUID and TENANTUID stand for what the
	// attacked team has.
	args, stdin string
	// refused is what the refusal says. Where two policies refuse, either may be the one
	// that the API server names: both are given, with " | " between them.
	refused string
}

// try makes every request as somebody of the attacker's team. What is let through by
// mistake shows by itself, and by what it changed.
func try(t *testing.T, attacks []attack) {
	teams(t)
	untouched := watch(t)
	known := knowledge(t)
	for _, a := range attacks {
		t.Run(a.what, func(t *testing.T) {
			who := as("rogue", a.who)
			if a.who == "pipeline" {
				who = pipeline(t)
			}
			out, err := request(t, who, known.Replace(a.args), known.Replace(a.stdin))
			if err == nil || !says(out, a.refused) {
				t.Errorf("%s as %s: %v: %s\nwant it refused with %q", a.args, a.who, err, out, a.refused)
			}
		})
	}
	untouched()
}

// knowledge is what an attacker may know of others: names, and UIDs of what all may read.
func knowledge(t *testing.T) *strings.Replacer {
	t.Helper()
	return strings.NewReplacer(
		"VICTIMPOD", on.Must(t, "get pods -n team-victim -l demarc.dev/claim=victim -o jsonpath={.items[0].metadata.name}"),
		"VICTIMUID", on.Must(t, "get serviceclaim victim -o jsonpath={.metadata.uid}"),
		"TENANTUID", on.Must(t, "get tenant victim -o jsonpath={.metadata.uid}"),
	)
}

// request is made with kubectl, or by itself where args begin with a method.
func request(t *testing.T, who persona, args, body string) (string, error) {
	t.Helper()
	method, path, _ := strings.Cut(args, " ")
	if method != strings.ToUpper(method) {
		return kubectl(t, who, body, strings.Fields(args)...)
	}
	config := rest.CopyConfig(on.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: who.user, Groups: who.groups}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	r := c.RESTClient().Verb(method).RequestURI(path).Body([]byte(body)).SetHeader("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.SetHeader("Content-Type", string(types.MergePatchType))
	}
	out, err := r.DoRaw(t.Context())
	answer := metav1.Status{}
	if json.Unmarshal(out, &answer) == nil && answer.Message != "" {
		return answer.Message, err
	}
	return string(out), err
}

const (
	create = "create -f -"
	// force is an apply that takes fields from whoever has them.
	force = "apply --server-side --force-conflicts -f -"
)

// says reports whether a refusal is in a text. Where two policies refuse the same, the API
// server tells either: then both are named, with " | " between them.
func says(text, refusal string) bool {
	return slices.ContainsFunc(strings.Split(refusal, " | "), func(one string) bool { return strings.Contains(text, one) })
}
