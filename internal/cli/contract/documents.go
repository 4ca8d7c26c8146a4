package contract

import (
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/codeowners"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/matrix"
	objects "demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/routes"
)

// kinds of documents, the source of all others first.
var kinds = []string{"contract", "roles", "projects", "codeowners", "alertmanager", "matrix"}

// document is one file.
type document struct {
	// path below the folder that is written to.
	path, text string
	// asked is that it is printed where one kind is asked for.
	asked bool
}

// marker is in the first line of what this command makes, and says that it may make it
// anew. The contract has none: it is there to be changed.
const marker = "Made by demarc contract render"

const madeBy = marker + ": change the contract and render again, not this file."

func marked(path, text string) document {
	if ext := filepath.Ext(path); ext == ".md" || ext == ".svg" {
		return document{path, "<!-- " + madeBy + " -->\n" + text, ext == ".md"}
	}
	return document{path, "# " + madeBy + "\n" + text, true}
}

// documents compiles one kind, or all of them where only is empty.
func (o *RenderOptions) documents(files contract.Files, only string) ([]document, error) {
	c := contract.New(files.Spec())
	var all []document
	for _, make := range []struct {
		kind string
		f    func() ([]document, error)
	}{
		{"contract", func() ([]document, error) { return source(files) }},
		{"roles", func() ([]document, error) { return roles(c) }},
		{"projects", func() ([]document, error) { return projects(c, o.Impersonation) }},
		{"codeowners", func() ([]document, error) { return owners(c, files.Parties), nil }},
		{"alertmanager", func() ([]document, error) {
			text, err := routes.New(c, files.Parties).YAML(o.Alertmanager)
			return []document{marked("alertmanager.yaml", string(text))}, err
		}},
		{"matrix", func() ([]document, error) {
			picture, err := matrix.SVG(c)
			return []document{marked("matrix.md", matrix.Markdown(c, files.Parties)), marked("matrix.svg", string(picture))}, err
		}},
	} {
		if only != "" && only != make.kind {
			continue
		}
		made, err := make.f()
		if err != nil {
			return nil, fmt.Errorf("make %s: %w", make.kind, err)
		}
		all = append(all, made...)
	}
	return all, nil
}

// source is the contract as it was written, comments included, where that is what it is.
func source(files contract.Files) ([]document, error) {
	const path = "contract.yaml"
	if files.Contract == nil {
		return []document{{path, strings.TrimLeft(string(contract.Shipped()), "\n"), true}}, nil
	}
	text := strings.TrimLeft(files.Source(), " \n")
	live := files.Contract.UID != "" || len(files.Contract.Status.Conditions) > 0
	if text != "" && !strings.HasPrefix(text, "{") && !live {
		return []document{{path, strings.TrimRight(text, "\n") + "\n", true}}, nil
	}
	raw, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.SchemeGroupVersion.String(), "kind": "OwnershipContract",
		"metadata": map[string]any{"name": files.Contract.Name}, "spec": files.Contract.Spec,
	})
	return []document{{path, string(raw), true}}, err
}

func roles(c *contract.Contract) ([]document, error) {
	var b strings.Builder
	for _, o := range objects.Roles(c) {
		raw, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, fmt.Errorf("write ClusterRole %s as YAML: %w", o.GetName(), err)
		}
		b.WriteString("---\n" + string(raw))
	}
	return []document{marked("clusterroles.yaml", b.String())}, nil
}

// kindLists are the two lists of an AppProject.
type kindLists struct {
	Cluster   []groupKind `json:"clusterResourceWhitelist"`
	Namespace []groupKind `json:"namespaceResourceWhitelist"`
}

type groupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

func listed(rows []contract.Row) kindLists {
	l := kindLists{Cluster: []groupKind{}, Namespace: []groupKind{}}
	for _, r := range rows {
		if gk := (groupKind{r.Group, r.Kind}); r.Cluster {
			l.Cluster = append(l.Cluster, gk)
		} else {
			l.Namespace = append(l.Namespace, gk)
		}
	}
	return l
}

func projects(c *contract.Contract, impersonation bool) ([]document, error) {
	const about = "# The kinds that Git may deliver, as the lists of an AppProject: team is what each team's\n" +
		"# project holds, which Demarc keeps; platform is for the project of the platform's repositories.\n"
	raw, err := yaml.Marshal(map[string]kindLists{"team": listed(c.Deliverable(impersonation)), "platform": listed(c.DeliverableByPlatform())})
	return []document{marked("appproject-kinds.yaml", about+string(raw))}, err
}

func owners(c *contract.Contract, parties contract.Parties) (all []document) {
	for _, f := range codeowners.Files(c, parties) {
		all = append(all, marked(filepath.Join("codeowners", f.Repository, "CODEOWNERS"), f.Text()))
	}
	return all
}
