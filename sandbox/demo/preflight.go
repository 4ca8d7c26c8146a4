package demo

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// oldest is the first Kubernetes that serves all that the chart and the CRDs use.
var oldest = version.MustParseGeneric("1.36")

// facts are what was found about a cluster of the user's before anything in it is touched.
type facts struct {
	// Unreachable is why the API server does not answer; nothing else of the cluster is known then.
	Unreachable error
	// Server is its version.
	Server string
	// Policies says that ValidatingAdmissionPolicy is served at v1.
	Policies bool
	// Kinds of Argo CD's that are not served.
	Kinds []string
	// Settings says that argocd-cm is there; Impersonation is its setting.
	Settings, Impersonation bool
	// Unread is what could not be found out, and why.
	Unread []error
	// ChartRepo and ChartRevision as given.
	ChartRepo, ChartRevision string
	// Tools that are not on the PATH.
	Tools []string
}

// finding is something missing, with what to do about it. A warning stops nothing.
type finding struct {
	what, do string
	warning  bool
}

func (f finding) String() string {
	mark := "missing"
	if f.warning {
		mark = "warning"
	}
	return fmt.Sprintf("%s: %s\n         %s", mark, f.what, f.do)
}

// findings lists all that is missing at once.
func (f facts) findings() []finding {
	var list []finding
	if f.Unreachable != nil {
		list = append(list, finding{
			what: "an API server that answers: " + f.Unreachable.Error(),
			do:   "start the cluster, or name another kubeconfig",
		})
	} else {
		list = append(f.ofServer(), f.ofArgoCD()...)
	}
	for _, err := range f.Unread {
		list = append(list, finding{what: "an answer to a question: " + err.Error(), do: "use a kubeconfig of a cluster administrator"})
	}
	list = append(list, f.ofChart()...)
	for _, tool := range f.Tools {
		list = append(list, finding{
			tool + " is not on the PATH",
			"nothing: the pinned one is built and used, which takes minutes the first time",
			true,
		})
	}
	return list
}

func (f facts) ofServer() []finding {
	var list []finding
	if v, err := version.ParseGeneric(f.Server); err != nil || v.LessThan(oldest) {
		list = append(list, finding{
			what: fmt.Sprintf("Kubernetes %s or newer; the server is %q", oldest, f.Server),
			do:   "upgrade the cluster",
		})
	}
	if !f.Policies {
		list = append(list, finding{
			what: "ValidatingAdmissionPolicy at admissionregistration.k8s.io/v1",
			do:   "turn that API on; without it nothing would be guarded",
		})
	}
	return list
}

func (f facts) ofArgoCD() []finding {
	const docs = "install Argo CD into namespace argocd: https://argo-cd.readthedocs.io/en/stable/getting_started/"
	var list []finding
	if len(f.Kinds) > 0 {
		list = append(list, finding{what: "Argo CD's CRDs: " + strings.Join(f.Kinds, ", "), do: docs})
	}
	switch {
	case !f.Settings:
		list = append(list, finding{what: "ConfigMap argocd-cm in namespace argocd", do: docs})
	case !f.Impersonation:
		list = append(list, finding{
			"Argo CD syncs with its own rights, not with those of each team: teams may not deliver Roles then",
			`kubectl -n argocd patch configmap argocd-cm --type merge -p '{"data":{"application.sync.impersonation.enabled":"true"}}'`,
			true,
		})
	}
	return list
}

func (f facts) ofChart() []finding {
	var list []finding
	if f.ChartRepo == "" {
		list = append(list, finding{
			what: "CHART_REPO: the Git repository with charts/service in it",
			do:   "push this checkout to a repository that Argo CD's repo-server can read, and set CHART_REPO to its URL",
		})
	}
	if f.ChartRevision == "" {
		list = append(list, finding{
			what: "CHART_REVISION: a tag or commit in CHART_REPO",
			do:   "set it to one that never moves: a branch would roll every service at once",
		})
	}
	return list
}
