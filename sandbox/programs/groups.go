// Package programs builds the programs of a sandbox from pinned Go modules, once per machine and user: each pin's programs lie
// in a folder named by the hash of what they were built from, written aside, tried, and renamed, under a lock.
package programs

// Group is the programs that one pinning module builds.
type Group struct {
	// Name is the folder under sandbox/pins.
	Name string
	// Module is the one whose version the programs report.
	Module string
	// Ldflags go to the linker. In them and in Says, {version} stands for the module's version, {number} for the same without
	// its v, {major} and {minor} for its first two parts.
	Ldflags string
	// Programs are built in this order.
	Programs []Program
	// Patches are applied to the module's source while it is compiled.
	Patches []Patch
	// Assets are files of the module that are kept beside the programs.
	Assets []string
}

// Program is one program of a group.
type Program struct {
	// Name is what the file is called, and Links its other names.
	Name  string
	Links []string
	// Package is what is built.
	Package string
	// Version are the arguments that make it print Says.
	Version []string
	Says    string
}

// Patch replaces a text that occurs once in a file of the module.
type Patch struct {
	File, Old, New string
}

// kubeVersion also names the version in client-go, which signs requests with it.
const kubeVersion = "-X k8s.io/component-base/version.gitVersion={version} -X k8s.io/client-go/pkg/version.gitVersion={version}" +
	" -X k8s.io/component-base/version.gitMajor={major} -X k8s.io/component-base/version.gitMinor={minor}"

// Groups lists every program, the quick ones last so that the longest build shows its progress first.
func Groups() []Group {
	return []Group{
		{
			Name: "kubernetes", Module: "k8s.io/kubernetes", Ldflags: kubeVersion,
			Programs: []Program{
				kubernetes("kube-apiserver", "--version"),
				kubernetes("kube-controller-manager", "--version"),
				kubernetes("kube-scheduler", "--version"),
				kubernetes("kubectl", "version", "--client"),
			},
		},
		{
			Name: "argocd", Module: "github.com/argoproj/argo-cd/v3", Ldflags: "-X github.com/argoproj/argo-cd/v3/common.version={number}",
			Programs: []Program{{
				Name: "argocd", Package: "github.com/argoproj/argo-cd/v3/cmd",
				Links:   []string{"argocd-repo-server", "argocd-application-controller", "argocd-git-ask-pass"},
				Version: []string{"version", "--client", "--short"}, Says: "{number}",
			}},
			// The one listener of Argo CD whose address no flag sets.
			Patches: []Patch{{File: "controller/appcontroller.go", Old: `"0.0.0.0:%d"`, New: `"127.0.0.1:%d"`}},
			Assets: []string{
				"manifests/crds", "manifests/base/config", "manifests/base/application-controller-roles",
				"manifests/cluster-rbac/application-controller",
			},
		},
		{
			Name: "kwok", Module: "sigs.k8s.io/kwok",
			Programs: []Program{{Name: "kwok", Package: "sigs.k8s.io/kwok/cmd/kwok", Version: []string{"--version"}, Says: "{number}"}},
		},
		{
			Name: "helm", Module: "helm.sh/helm/v3", Ldflags: "-X helm.sh/helm/v3/internal/version.version={version}",
			Programs: []Program{{Name: "helm", Package: "helm.sh/helm/v3/cmd/helm", Version: []string{"version", "--short"}, Says: "{version}"}},
		},
		{
			Name: "etcd", Module: "go.etcd.io/etcd/server/v3",
			Programs: []Program{{Name: "etcd", Package: "go.etcd.io/etcd/server/v3", Version: []string{"--version"}, Says: "{number}"}},
		},
		{
			Name: "kustomize", Module: "sigs.k8s.io/kustomize/kustomize/v5",
			Programs: []Program{{
				Name: "kustomize", Package: "sigs.k8s.io/kustomize/kustomize/v5", Version: []string{"version"}, Says: "{version}",
			}},
		},
	}
}

func kubernetes(name string, version ...string) Program {
	return Program{Name: name, Package: "k8s.io/kubernetes/cmd/" + name, Version: version, Says: "{version}"}
}
