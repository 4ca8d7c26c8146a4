package contract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/manifest"
)

// Parse reads a file of YAML or JSON with any number of documents, and takes the
// OwnershipContract, the Platform and the Tenants from it. What it cannot read it
// refuses: no field is passed over, and no object of these kinds.
func Parse(file string, data []byte) (Files, []Problem) {
	f := Files{places: map[string]manifest.Doc{}}
	docs, err := manifest.Parse(file, string(data))
	found := refusals(file, err)
	others := map[string]int{}
	for _, d := range docs {
		problems, ours := f.take(d)
		found = append(found, problems...)
		if !ours {
			others[d.Kind]++
		}
	}
	slices.SortFunc(f.Tenants, byName)
	slices.SortStableFunc(found, byPlace)
	if len(others) > 0 {
		var kinds []string
		for _, kind := range slices.Sorted(maps.Keys(others)) {
			kinds = append(kinds, fmt.Sprintf("%d %s", others[kind], kind))
		}
		found = append(found, Problem{File: file, Line: 1, Severity: Note, Message: "passed over, since neither contract, Platform nor Tenant: " + strings.Join(kinds, ", ")})
	}
	return f, found
}

func byName(a, b v1alpha1.Tenant) int { return cmp.Compare(a.Name, b.Name) }

// take enters one object; ours is false where it is of another kind.
func (f *Files) take(d manifest.Doc) (found []Problem, ours bool) {
	var err error
	contract, platform, tenant := &v1alpha1.OwnershipContract{}, &v1alpha1.Platform{}, v1alpha1.Tenant{}
	switch {
	case f.strange(d) != nil:
		found = refusals(d.File, f.strange(d))
		found[0].stranger = true
		return found, true
	case d.Group() != demarc:
		return nil, false
	case d.Kind == "OwnershipContract":
		err = d.Decode(contract)
	case d.Kind == "Platform":
		err = d.Decode(platform)
	case d.Kind == "Tenant":
		err = d.Decode(&tenant)
	default:
		return nil, false
	}
	if err == nil {
		err = f.head(d)
	}
	if err != nil {
		f.broken = f.broken || d.Kind == "OwnershipContract"
		return refusals(d.File, err), true
	}
	f.places[key(d)] = d
	switch d.Kind {
	case "OwnershipContract":
		f.Contract = contract
	case "Platform":
		f.Platform = platform
	case "Tenant":
		f.Tenants = append(f.Tenants, tenant)
	}
	return nil, true
}

// strange says of a document that is likely meant for here that its kind is none: to pass
// it over would be to take another contract in its place.
func (f *Files) strange(d manifest.Doc) error {
	here := []string{"OwnershipContract", "Platform", "Tenant"}
	group := d.Group()
	_, near := Nearest(group, []string{demarc})
	switch ours := slices.Contains(here, d.Kind); {
	case group == demarc && !ours:
		if _, known := ServedKind(schema.GroupKind{Group: demarc, Kind: d.Kind}); known {
			return nil
		}
		for _, k := range Kinds {
			if k.Group == demarc {
				here = append(here, k.Kind)
			}
		}
		return d.Errorf("kind", "%s has no kind %s: %s", demarc, d.Kind, choose(d.Kind, here, "take it out"))
	case group != demarc && ours && (group == "" || near || d.Kind == here[0]):
		return d.Errorf("apiVersion", "%s is not of %s: set %s", d.Kind, demarc, v1alpha1.SchemeGroupVersion)
	}
	return nil
}

// head says what is wrong with what an object is called.
func (f *Files) head(d manifest.Doc) error {
	first, twice := f.places[key(d)]
	switch {
	case d.APIVersion != v1alpha1.SchemeGroupVersion.String():
		return d.Errorf("apiVersion", "%s is not known here: this version reads %s", d.APIVersion, v1alpha1.SchemeGroupVersion)
	case d.Name == "":
		return d.Errorf("metadata.name", "it has no name: name it")
	case d.Kind != "Tenant" && d.Name != v1alpha1.PlatformName:
		return d.Errorf("metadata.name", "there is one %s and its name is %s: put what it says into that", d.Kind, v1alpha1.PlatformName)
	case twice:
		return d.Errorf("", "it stands in %s too, line %d: one of the two is to go", first.File, first.Line)
	}
	return nil
}

func key(d manifest.Doc) string { return d.Kind + " " + d.Name }

func refusals(file string, err error) (found []Problem) {
	for _, f := range manifest.Faults(err) {
		found = append(found, Problem{File: file, Line: f.Line, Severity: Refused, Object: f.Object, Path: f.Path, Message: f.Text})
	}
	return found
}
