package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"demarc.dev/demarc/internal/cli"
	"demarc.dev/demarc/internal/cli/factory"
)

// demarc runs a command line against a server that answers as handler says.
func demarc(t *testing.T, argv0 string, handler http.HandlerFunc, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("KUBECONFIG", "/dev/null")
	if handler != nil {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		args = append(args, "--server", server.URL)
	}
	var out, errOut bytes.Buffer
	code = cli.Run(t.Context(), factory.New(argv0, factory.IO{In: strings.NewReader(""), Out: &out, ErrOut: &errOut, OutTerminal: true}), args)
	return code, out.String(), errOut.String()
}

// answer is what a server says at a path; all else is not found.
func answer(paths map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, ok := paths[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			body = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"not found","code":404}`
		}
		fmt.Fprint(w, body)
	}
}

const (
	groups    = `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`
	versions  = `{"kind":"APIVersions","versions":["v1"]}`
	resources = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"demarc.dev/v1alpha1","resources":[
		{"name":"serviceclaims","singularName":"serviceclaim","namespaced":false,"kind":"ServiceClaim","verbs":["get","list"]}]}`
	demarcGroup = `{"kind":"APIGroup","apiVersion":"v1","name":"demarc.dev","versions":[{"groupVersion":"demarc.dev/v1alpha1","version":"v1alpha1"}]}`
)

func TestNoCRDs(t *testing.T) {
	for _, args := range [][]string{{"get"}, {"get", "tenant", "a"}, {"release", "a", "--reason", "b"}, {"delete", "claim/a"}} {
		code, out, says := demarc(t, "demarc", answer(map[string]string{"/api": versions, "/apis": groups}), args...)
		if code != 2 || out != "" || !strings.Contains(says, "the cluster does not know the kind\nNext: see whether Demarc is installed there") {
			t.Errorf("demarc %v ends with %d and says %s", args, code, says)
		}
	}
}

func TestNobody(t *testing.T) {
	code, _, says := demarc(t, "demarc", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "get")
	if code != 2 || !strings.Contains(says, "the cluster does not know who you are") {
		t.Errorf("it ends with %d and says %s", code, says)
	}
}

// A server that never answers is left when the time for a request is up.
func TestSilence(t *testing.T) {
	code, _, says := demarc(t, "demarc", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "get", "--request-timeout", "200ms")
	if code != 2 || !strings.Contains(says, "did not answer in time") {
		t.Errorf("it ends with %d and says %s", code, says)
	}
}

func TestSomethingElseAnswers(t *testing.T) {
	code, _, says := demarc(t, "demarc", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello</html>") }, "get")
	if code != 2 || !strings.Contains(says, "demarc: cannot list the claims: ") || !strings.Contains(says, "\nNext: ") {
		t.Errorf("it ends with %d and says %s", code, says)
	}
}

// Whatever a cluster sends moves no cursor, in a table, a document, a warning or an error.
func TestTextOfTheClusterIsData(t *testing.T) {
	const evil = `\u001b[2J\u202e\u009b1m`
	claim := `{"apiVersion":"demarc.dev/v1alpha1","kind":"ServiceClaim","metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z"},
		"spec":{"team":"t","image":"` + evil + `"},"status":{"conditions":[{"type":"Ready","status":"False","reason":"` + evil + `","message":"` + evil + `\nx"}]}}`
	paths := map[string]string{
		"/api": versions, "/apis": groups, "/apis/demarc.dev": demarcGroup, "/apis/demarc.dev/v1alpha1": resources,
		"/apis/demarc.dev/v1alpha1/serviceclaims/a": claim,
		"/apis/demarc.dev/v1alpha1/serviceclaims":   `{"apiVersion":"demarc.dev/v1alpha1","kind":"ServiceClaimList","metadata":{},"items":[` + claim + `]}`,
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Warning", "299 - \"look \u202eout\"")
		answer(paths)(w, r)
	}
	for _, args := range [][]string{{"get", "--all"}, {"get", "--all", "-o", "wide"}, {"get", "claim", "a", "-o", "yaml"}, {"get", "claim", "a", "-o", "json"}, {"get", "claim", "b"}} {
		_, out, says := demarc(t, "demarc", handler, args...)
		if out+says == "" || strings.ContainsAny(out+says, "\x1b\u009b\u202e") {
			t.Errorf("demarc %v prints %q %q", args, out, says)
		}
	}
	code, out, says := demarc(t, "demarc", handler, "get", "--all", "-o", "wide")
	if code != 0 || strings.Count(out, "\n") != 2 || !strings.Contains(says, "Warning: look out\n") {
		t.Errorf("it ends with %d, warns %q and prints\n%s", code, says, out)
	}
}

// A wait that cannot be, and a reason that no Event could hold, are refused before a
// cluster is asked.
func TestRefusedFlags(t *testing.T) {
	long := strings.Repeat("é", 1025)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"0 waits for ever", []string{"delete", "claim/a", "--timeout", "-1s"}},
		{"0 waits for ever", []string{"release", "a", "--reason", "x", "--timeout", "-1s"}},
		{"0 waits for ever", []string{"adopt", "team-a", "--timeout", "-1s"}},
		{"it is no duration", []string{"adopt", "team-a", "--timeout", "soon"}},
		{"--reason is 1025 characters long, and at most 1024", []string{"delete", "claim/a", "--force", "--reason", long}},
		{"--reason is 1025 characters long, and at most 1024", []string{"release", "a", "--reason", long}},
		{"--user is given and empty: name something, or leave it out", []string{"access", "request", "a", "--user", "", "--role", "view", "--for", "1h", "--reason", "x"}},
		{"--team is given and empty", []string{"access", "list", "--team", ""}},
		{"--until is given and empty", []string{"budget", "request", "a", "--cpu", "4", "--reason", "x", "--until="}},
		{"--note is given and empty", []string{"budget", "approve", "a", "--note", ""}},
		{"--team is given and empty", []string{"get", "--team", ""}},
		{"--field is given and empty", []string{"who", "service", "--field", ""}},
		{"--namespace is given and empty", []string{"who", "service", "-n", ""}},
		{"--team is given and empty", []string{"contract", "verify", "--team", ""}},
		{"--filename is given and empty", []string{"contract", "verify", "-f", "x", "-f", ""}},
		{"--out is given and empty", []string{"contract", "render", "--out", ""}},
		{"--only is given and empty", []string{"contract", "render", "--only="}},
		{"--output is given and empty", []string{"contract", "lint", "x", "-o", ""}},
		{"--request-timeout is below 0", []string{"get", "--request-timeout", "-1s", "--server", "http://127.0.0.1:1"}},
	} {
		if code, _, says := demarc(t, "demarc", nil, c.args...); code != 2 || !strings.Contains(says, c.says) {
			t.Errorf("%.60q ends with %d and says %.200s", c.args, code, says)
		}
	}
}

func TestPlugin(t *testing.T) {
	_, out, _ := demarc(t, "/usr/local/bin/kubectl-demarc", nil, "render", "--help")
	for _, want := range []string{"\n  kubectl demarc render -f FILE|FOLDER|- [flags]\n", "| kubectl demarc render -f -\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the help is\n%s\nwant %q", out, want)
		}
	}
	if code, out, _ := demarc(t, "kubectl_complete-demarc", nil, "rel"); code != 0 || !strings.HasPrefix(out, "release\t") {
		t.Errorf("the completion is %q", out)
	}
}

// Every verb has an example, and says in one line what it does.
func TestEveryVerbIsExplained(t *testing.T) {
	f := factory.New("demarc", factory.IO{})
	f.Config, f.Client, f.Discovery = nil, nil, nil // whoever asks for a cluster before the verb runs fails here
	for _, cmd := range cli.New(f).Commands() {
		if cmd.HasSubCommands() {
			continue
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || !strings.Contains(cmd.Example, "demarc "+cmd.Name()) {
			t.Errorf("%s: %q, with the example %q", cmd.Name(), cmd.Short, cmd.Example)
		}
	}
}
