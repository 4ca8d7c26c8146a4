package demo

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// complete are the facts of a cluster that has all.
func complete() facts {
	return facts{
		Server: "v1.36.0", Policies: true, Settings: true, Impersonation: true,
		ChartRepo: "https://git.example/platform.git", ChartRevision: "v1",
	}
}

func TestFindings(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*facts)
		want   []string
	}{
		"all is there":     {func(*facts) {}, nil},
		"a vendor's build": {func(f *facts) { f.Server = "v1.36.2-gke.1234+abc" }, nil},
		"unreachable, and what else is known": {
			func(f *facts) { *f = facts{Unreachable: errors.New("refused"), ChartRevision: "v1"} },
			[]string{"missing: an API server that answers: refused", "missing: CHART_REPO"},
		},
		"an old server":     {func(f *facts) { f.Server = "v1.35.9" }, []string{"missing: Kubernetes 1.36 or newer"}},
		"an unreadable one": {func(f *facts) { f.Server = "?" }, []string{"missing: Kubernetes 1.36 or newer"}},
		"no policies":       {func(f *facts) { f.Policies = false }, []string{"missing: ValidatingAdmissionPolicy"}},
		"impersonation off": {func(f *facts) { f.Impersonation = false }, []string{"warning: Argo CD syncs with its own rights"}},
		"forbidden questions": {
			func(f *facts) { f.Unread = []error{errors.New("forbidden")} },
			[]string{"missing: an answer to a question: forbidden"},
		},
		"no tools": {func(f *facts) { f.Tools = []string{"helm"} }, []string{"warning: helm is not on the PATH"}},
		"everything at once": {
			func(f *facts) {
				*f = facts{Server: "v1.33.0", Kinds: []string{"applications", "appprojects"}}
			},
			[]string{
				"missing: Kubernetes", "missing: ValidatingAdmissionPolicy", "missing: Argo CD's CRDs: applications, appprojects",
				"missing: ConfigMap argocd-cm", "missing: CHART_REPO", "missing: CHART_REVISION",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := complete()
			test.change(&f)
			var got []string
			for i, found := range f.findings() {
				line, do, _ := strings.Cut(found.String(), "\n")
				if strings.TrimSpace(do) == "" {
					t.Errorf("%s: it says nothing about what to do", line)
				}
				if i < len(test.want) && strings.HasPrefix(line, test.want[i]) {
					line = test.want[i]
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
