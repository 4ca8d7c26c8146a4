package manifests

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/crd"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/manifest"
)

// settings are the kinds by which what is allowed is said.
var settings = []string{"Platform", "Tenant", "GuardrailException", "GuardrailSet"}

// Setting refuses of a setting what a cluster would refuse or say to be of no effect: a mode
// that is misspelled would otherwise let everything pass. What is no setting passes.
func Setting(d manifest.Doc) error {
	if d.Group() != v1alpha1.GroupName || !slices.Contains(settings, d.Kind) {
		return nil
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(d.JSON); err != nil {
		return d.Errorf("", "it cannot be read: %v", err)
	}
	refused, err := crd.Create(o)
	errs := []error{err}
	for _, r := range refused {
		errs = append(errs, d.Errorf(r.Field, "%s", r.ErrorBody()))
	}
	if len(refused) > 0 || err != nil {
		return errors.Join(errs...)
	}
	return unknown(d)
}

// unknown names rules that there are not.
func unknown(d manifest.Doc) error {
	var errs []error
	switch d.Kind {
	case "Platform":
		var p v1alpha1.Platform
		if err := d.Decode(&p); err != nil {
			return err
		}
		for _, u := range guardrail.Unknowns(&p, nil) {
			if !u.Team {
				errs = append(errs, d.Errorf(u.Path, "there is no rule %s", u.Name))
			}
		}
	case "GuardrailException":
		var e v1alpha1.GuardrailException
		if err := d.Decode(&e); err != nil {
			return err
		}
		if names := guardrail.UnknownRules(e.Spec.Rules); len(names) > 0 {
			errs = append(errs, d.Errorf("spec.rules", "there is no rule %s", strings.Join(names, ", ")))
		}
	}
	return errors.Join(errs...)
}
