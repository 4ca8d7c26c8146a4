// Package chart renders Helm charts with Helm's own engine and no cluster: nothing is
// looked up, and nothing is fetched.
package chart

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
)

// KubeVersion is what charts are told that the cluster is.
const KubeVersion = "v1.37.2"

// Release is what a chart is rendered as.
type Release struct {
	Name, Namespace string
	// Values over those of the chart; they are not changed.
	Values map[string]any
}

// Render renders the chart in a folder: its templates, and the objects of its folder crds.
// What a chart in an archive depends on must be in its folder charts, since nothing is
// fetched. The error says which template or value is wrong.
func Render(dir string, r Release) ([]Object, error) {
	c, err := loader.LoadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("load the chart in %s: %w", dir, err)
	}
	return render(c, r)
}

// RenderFS renders the chart at the root of a file system, such as an embedded one.
func RenderFS(fsys fs.FS, r Release) ([]Object, error) {
	var list []*archive.BufferedFile
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		list = append(list, &archive.BufferedFile{Name: path, Data: data})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the chart: %w", err)
	}
	c, err := loader.LoadFiles(list)
	if err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	return render(c, r)
}

func render(c *chartv2.Chart, r Release) ([]Object, error) {
	if err := missing(c); err != nil {
		return nil, err
	}
	given := clone(r.Values)
	if err := chartutil.ProcessDependencies(c, given); err != nil {
		return nil, fmt.Errorf("chart %s: its dependencies: %w", c.Name(), err)
	}
	version, err := common.ParseKubeVersion(KubeVersion)
	if err != nil {
		return nil, err
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *version
	options := common.ReleaseOptions{Name: r.Name, Namespace: r.Namespace, Revision: 1, IsInstall: true}
	values, err := commonutil.ToRenderValuesWithSchemaValidation(c, given, options, capabilities, refersElsewhere(c))
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name(), err)
	}
	rendered, err := engine.Engine{}.RenderWithContext(context.Background(), c, values)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name(), err)
	}
	for _, crd := range c.CRDObjects() {
		rendered[crd.Filename] = string(crd.File.Data)
	}
	return objects(rendered)
}

// missing names what a chart depends on and does not bring. Without it Helm would render
// less than is installed.
func missing(c *chartv2.Chart) error {
	var there []string
	for _, d := range c.Dependencies() {
		there = append(there, d.Name())
	}
	for _, d := range c.Metadata.Dependencies {
		if !slices.Contains(there, d.Name) {
			return fmt.Errorf("chart %s depends on %s, which is not in its folder charts: fetch it first (helm dependency build)", c.Name(), d.Name)
		}
	}
	return nil
}

// refersElsewhere reports whether a schema of values lies in part somewhere else, which
// Helm would fetch: such a schema is left out.
func refersElsewhere(c *chartv2.Chart) bool {
	refers := func(c *chartv2.Chart) bool {
		schema := strings.Join(strings.Fields(string(c.Schema)), "")
		for _, scheme := range []string{"http:", "https:", "file:", "urn:"} {
			if strings.Contains(schema, `"$ref":"`+scheme) {
				return true
			}
		}
		return false
	}
	return refers(c) || slices.ContainsFunc(c.Dependencies(), refersElsewhere)
}

// clone copies values as far as they are nested maps, which is what Helm writes into.
func clone(values map[string]any) map[string]any {
	out := make(map[string]any, len(values))
	for k, v := range values {
		if inner, ok := v.(map[string]any); ok {
			v = clone(inner)
		}
		out[k] = v
	}
	return out
}
