package render

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/render"
)

// set is what the files hold.
type set struct {
	platform *v1alpha1.Platform
	tenants  []placed[*v1alpha1.Tenant]
	claims   []placed[*v1alpha1.ServiceClaim]
	skipped  skipped
	// next is the step after an error of render, where there is one.
	next string
}

// placed is an object and where it stands.
type placed[T any] struct {
	object T
	doc    manifest.Doc
}

// skipped counts objects of other kinds.
type skipped map[string]int

func (s skipped) note() string {
	var kinds []string
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(s)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", s[kind], kind))
		total += s[kind]
	}
	switch total {
	case 0:
		return ""
	case 1:
		return "one object is not Demarc's and is passed over: " + kinds[0]
	default:
		return fmt.Sprintf("%d objects are not Demarc's and are passed over: %s", total, strings.Join(kinds, ", "))
	}
}

// collect sorts objects by kind; all that is wrong is in the error.
func collect(docs []manifest.Doc) (*set, error) {
	s := &set{skipped: skipped{}}
	var errs []error
	seen := map[string]manifest.Doc{}
	for _, d := range docs {
		if d.Group() != v1alpha1.SchemeGroupVersion.Group {
			s.skipped[d.Kind]++
			continue
		}
		key := d.Kind + "/" + d.Name
		if before, twice := seen[key]; twice && d.Name != "" {
			errs = append(errs, d.Errorf("", "it stands in %s too, line %d: one of the two is to go", before.File, before.Line))
			continue
		}
		seen[key] = d
		errs = append(errs, s.add(d))
	}
	slices.SortFunc(s.tenants, func(a, b placed[*v1alpha1.Tenant]) int { return cmp.Compare(a.object.Name, b.object.Name) })
	slices.SortFunc(s.claims, func(a, b placed[*v1alpha1.ServiceClaim]) int { return cmp.Compare(a.object.Name, b.object.Name) })
	return s, errors.Join(errs...)
}

func (s *set) empty() bool { return len(s.tenants)+len(s.claims) == 0 }

func (s *set) add(d manifest.Doc) error {
	if d.APIVersion != v1alpha1.SchemeGroupVersion.String() {
		return d.Errorf("apiVersion", "%s is not known here: this version reads %s", d.APIVersion, v1alpha1.SchemeGroupVersion)
	}
	switch d.Kind {
	case "Platform":
		p := &v1alpha1.Platform{}
		s.platform = p
		return check(d, p, func() []problem { return platformProblems(p) })
	case "Tenant":
		t := &v1alpha1.Tenant{}
		s.tenants = append(s.tenants, placed[*v1alpha1.Tenant]{t, d})
		return check(d, t, func() []problem { return tenantProblems(t) })
	case "ServiceClaim":
		c := &v1alpha1.ServiceClaim{}
		s.claims = append(s.claims, placed[*v1alpha1.ServiceClaim]{c, d})
		return check(d, c, func() []problem { return claimProblems(c) })
	default:
		return d.Errorf("kind", "Demarc has no kind %s: it has Platform, Tenant and ServiceClaim", d.Kind)
	}
}

// render makes the objects: spaces first, then deliveries, or what these bring.
func (s *set) render(o *Options) ([]render.Object, error) {
	settings := render.SettingsOf(s.platform)
	settings.Impersonation = o.Impersonation
	var objects []render.Object
	var errs []error
	for _, t := range s.tenants {
		space, err := render.Tenant(t.object, settings)
		if err != nil {
			errs = append(errs, t.doc.Errorf("", "%v", err))
			continue
		}
		objects = append(objects, space.All()...)
	}
	var chartless []manifest.Doc
	for _, c := range s.claims {
		made, err := s.claim(c.object, settings, o)
		var refused *render.Refusal
		switch {
		case errors.Is(err, render.ErrNoChart):
			chartless = append(chartless, c.doc)
		case errors.As(err, &refused):
			errs = append(errs, c.doc.Errorf("spec", "%s (%s)", refused.Message, refused.Reason))
		case err != nil:
			errs = append(errs, c.doc.Errorf("", "%v", err))
		default:
			objects = append(objects, made...)
		}
	}
	if len(chartless) > 0 {
		errs = append(errs, s.noChart(chartless))
	}
	return objects, errors.Join(errs...)
}

// claim is its Application, or what that brings.
func (s *set) claim(c *v1alpha1.ServiceClaim, settings render.Settings, o *Options) ([]render.Object, error) {
	if refused := s.refused(c, settings); refused != nil {
		return nil, refused
	}
	if o.Delivered && c.Spec.Source == nil {
		return Delivered(c, settings, o.Chart)
	}
	app, err := render.Application(c, settings)
	if err != nil {
		return nil, err
	}
	render.OnCall(app, s.contacts(c.Spec.Team))
	return []render.Object{app}, nil
}

// contacts of a team; none where its Tenant is not in the files.
func (s *set) contacts(team string) v1alpha1.Contacts {
	for _, t := range s.tenants {
		if t.object.Name == team {
			return t.object.Spec.Contacts
		}
	}
	return v1alpha1.Contacts{}
}

// noChart says it once for all claims.
func (s *set) noChart(claims []manifest.Doc) error {
	s.next = "read the Platform too: kubectl get platform default -o yaml, and -f that file"
	if s.platform != nil {
		s.next = "set spec.chart of the Platform"
	}
	others := ""
	if n := len(claims) - 1; n > 0 {
		others = fmt.Sprintf(" (the same holds for %d more)", n)
	}
	return claims[0].Errorf("spec.image", "an image is delivered through the platform's chart, and no Platform here says where that is%s", others)
}
