package render

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/crd"
)

// problem is what is wrong with a field.
type problem struct{ path, text string }

// check decodes, asks what render itself relies on, in words of its own, and then the rules
// of the kind's definition, as the API server does.
func check(d manifest.Doc, into any, problems func() []problem) error {
	if err := d.Decode(into); err != nil {
		return err
	}
	var errs []error
	if d.Name == "" {
		errs = append(errs, d.Errorf("metadata.name", "the %s has no name", d.Kind))
	}
	for _, p := range problems() {
		errs = append(errs, d.Errorf(p.path, "%s", p.text))
	}
	if len(errs) == 0 {
		errs = append(errs, defined(d)...)
	}
	return errors.Join(errs...)
}

// defined asks the rules of the definition.
func defined(d manifest.Doc) (errs []error) {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(d.JSON); err != nil {
		return []error{d.Errorf("", "%v", err)}
	}
	found, err := crd.Create(o)
	if err != nil {
		return []error{d.Errorf("", "%v", err)}
	}
	for _, f := range found {
		words := f.Detail
		if f.Type != field.ErrorTypeInvalid || words == "" {
			words = f.ErrorBody()
		}
		errs = append(errs, d.Errorf(f.Field, "%s", words))
	}
	return errs
}

func platformProblems(p *v1alpha1.Platform) []problem {
	var found []problem
	if p.Name != v1alpha1.PlatformName {
		found = append(found, problem{"metadata.name", "there is one Platform and its name is default"})
	}
	defaults := p.Spec.ContainerDefaults
	for path, q := range map[string]*v1alpha1.Quantity{
		"spec.containerDefaults.cpuRequest":    defaults.CPURequest,
		"spec.containerDefaults.memoryRequest": defaults.MemoryRequest,
		"spec.containerDefaults.memoryLimit":   defaults.MemoryLimit,
	} {
		found = append(found, quantityProblems(path, q)...)
	}
	return append(found, budgetProblems("spec.ceiling", p.Spec.Ceiling)...)
}

func tenantProblems(t *v1alpha1.Tenant) []problem {
	found := budgetProblems("spec.resources", t.Spec.Resources)
	for i, a := range t.Spec.Access {
		path := fmt.Sprintf("spec.access[%d]", i)
		if count(a.Group != "", a.User != "", a.ServiceAccount != nil) != 1 {
			found = append(found, problem{path, "set exactly one of group, user and serviceAccount"})
		}
		switch a.Role {
		case "view", "operate", "edit":
		default:
			found = append(found, problem{path + ".role", fmt.Sprintf("%q is no role: it is view, operate or edit", a.Role)})
		}
	}
	return found
}

func claimProblems(c *v1alpha1.ServiceClaim) []problem {
	var found []problem
	spec := c.Spec
	if spec.Team == "" {
		found = append(found, problem{"spec.team", "name the Tenant that the service belongs to"})
	}
	if count(spec.Image != "", spec.Source != nil) != 1 {
		found = append(found, problem{"spec", "set exactly one of image and source"})
	}
	if spec.Source != nil && (spec.Replicas != nil || spec.Port != nil || len(spec.Env) > 0) {
		found = append(found, problem{"spec.source", "with source, replicas, port and env belong in the team's own manifests"})
	}
	if spec.Replicas != nil && *spec.Replicas < 0 {
		found = append(found, problem{"spec.replicas", "it must be 0 or more"})
	}
	if r := spec.Resources; r != nil && count(r.CPU != nil, r.Memory != nil, r.Pods != nil) > 0 {
		found = append(found, problem{"spec.resources", "the budget belongs to the team: move it to spec.resources of the Tenant"})
	}
	return append(found, envProblems(spec.Env)...)
}

func envProblems(env []v1alpha1.ClaimEnv) []problem {
	var found []problem
	for i, e := range env {
		path := fmt.Sprintf("spec.env[%d]", i)
		if e.Value != "" && e.ValueFrom != nil {
			found = append(found, problem{path, "set value or valueFrom, not both"})
		}
		if from := e.ValueFrom; from != nil && count(from.SecretKeyRef != nil, from.ConfigMapKeyRef != nil) != 1 {
			found = append(found, problem{path + ".valueFrom", "set exactly one of secretKeyRef and configMapKeyRef"})
		}
	}
	return found
}

func budgetProblems(path string, b *v1alpha1.Budget) []problem {
	if b == nil {
		return nil
	}
	found := append(quantityProblems(path+".cpu", b.CPU), quantityProblems(path+".memory", b.Memory)...)
	if b.Pods != nil && *b.Pods < 0 {
		found = append(found, problem{path + ".pods", "it must be 0 or more"})
	}
	return found
}

func quantityProblems(path string, q *v1alpha1.Quantity) []problem {
	if q == nil {
		return nil
	}
	parsed, err := resource.ParseQuantity(q.String())
	switch {
	case err != nil:
		return []problem{{path, fmt.Sprintf("%q is not a quantity such as 2, 500m or 4Gi", q.String())}}
	case parsed.Sign() < 0:
		return []problem{{path, fmt.Sprintf("%q is negative", q.String())}}
	default:
		return nil
	}
}

func count(set ...bool) int {
	n := 0
	for _, s := range set {
		if s {
			n++
		}
	}
	return n
}
