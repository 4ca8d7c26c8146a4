package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/check/manifests"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	documents "demarc.dev/demarc/internal/manifest"
)

// question gathers everything that is asked about.
func (o *Options) question(ctx context.Context) (q check.Question, notes []string, err error) {
	at, err := o.at()
	if err != nil {
		return q, nil, err
	}
	q.Team, q.At = o.Team, at
	if q.Rules, err = o.compile(); err != nil {
		return q, nil, err
	}
	if err := o.given(&q.Settings); err != nil {
		return q, nil, err
	}
	source := manifests.Source{Paths: o.Paths, Stdin: o.IO.In, Recursive: o.Recursive, Values: o.Values, Namespace: v1alpha1.NamespaceOf(team(o.Team))}
	now, err := manifests.Gather(source)
	if err == nil {
		err = o.among(&q.Settings, now)
	}
	if err == nil {
		err = now.Claims(q.Settings.Platform)
	}
	if err == nil && len(now.Manifests) == 0 {
		err = errors.New("there is no object in what was read")
	}
	if err != nil {
		return q, nil, exit.Failed(err.Error(), "")
	}
	q.Manifests = now.Manifests
	if o.Base != "" {
		before, err := manifests.Before(ctx, source, o.Base)
		if err == nil {
			err = before.Claims(q.Settings.Platform)
		}
		if err != nil {
			return q, nil, exit.Failed(err.Error(), "")
		}
		q.Old = before.Manifests
	}
	return q, now.Notes, nil
}

// team stands in for one that is not named.
func team(name string) string {
	if name == "" {
		return "team"
	}
	return name
}

// compile compiles the rules, and those of the user's own.
func (o *Options) compile() (*check.Rules, error) {
	files, err := manifest.Files(o.Rules, o.IO.In, o.Recursive)
	errs := []error{err}
	var own []manifest.Doc
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".test.yaml") {
			continue // they are for demarc test
		}
		read, err := documents.Parse(f.Name, f.Text)
		own, errs = append(own, read...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, exit.Failed(err.Error(), "give policies as kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml writes them")
	}
	rules, err := check.Compile(own)
	if err != nil {
		return nil, exit.Failed(err.Error(), "mend the policy: a cluster would not take it either")
	}
	if err := bound(own, len(o.Rules) > 0); err != nil {
		return nil, exit.Failed(err.Error(), "a policy judges what its binding says; demarc test tries policies without one")
	}
	return rules, nil
}

// bound refuses policies of one's own that would judge nothing.
func bound(own []documents.Doc, asked bool) error {
	names, policies := map[string]bool{}, 0
	for _, d := range own {
		var binding struct {
			Spec struct{ PolicyName string }
		}
		if d.Kind == "ValidatingAdmissionPolicyBinding" && json.Unmarshal(d.JSON, &binding) == nil {
			names[binding.Spec.PolicyName] = true
		}
	}
	var errs []error
	for _, d := range own {
		if d.Kind != "ValidatingAdmissionPolicy" {
			continue
		}
		if policies++; !names[d.Name] {
			errs = append(errs, d.Errorf("", "ValidatingAdmissionPolicy %s has no binding, and judges nothing", d.Name))
		}
	}
	if asked && policies == 0 {
		errs = append(errs, errors.New("--rules: there is no ValidatingAdmissionPolicy in what was read"))
	}
	return errors.Join(errs...)
}

// given reads the settings that were given.
func (o *Options) given(s *check.Settings) error {
	docs, err := manifest.Read(append(append([]string{}, o.Platform...), o.Exceptions...), o.IO.In, o.Recursive)
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	var errs []error
	for _, d := range docs {
		taken, err := s.Take(d)
		if err == nil {
			err = manifests.Setting(d)
		}
		errs = append(errs, err)
		if !taken {
			o.note(fmt.Sprintf("%s: %s %s is no setting, and is passed over", d.File, d.Kind, d.Name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return exit.Failed(err.Error(), "")
	}
	return nil
}

// among takes what of the files that are checked is a setting: whose they are, and what
// they are filled in from. What is allowed, by sets or by exceptions, is given apart, and
// so is a Platform where one was given.
func (o *Options) among(s *check.Settings, g manifests.Gathered) error {
	var errs []error
	given := s.Platform != nil || len(s.Sets) > 0
	for _, d := range g.Documents {
		if d.Group() == v1alpha1.GroupName && (d.Kind == "GuardrailSet" || d.Kind == "GuardrailException" || d.Kind == "Platform" && given) {
			continue
		}
		_, err := s.Take(d)
		if err == nil {
			err = manifests.Setting(d)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (o *Options) note(text string) { fmt.Fprintln(o.IO.ErrOut, "note: "+plain.Line(text)) }
