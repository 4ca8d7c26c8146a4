package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
)

func TestPlatform(t *testing.T) {
	d := &Demarc{ChartRepo: "https://git.example/platform.git", ChartRevision: "v1"}
	chart := v1alpha1.PlatformSpec{Chart: &v1alpha1.PlatformChart{RepoURL: d.ChartRepo, TargetRevision: d.ChartRevision}}
	team := v1alpha1.PlatformTeam{Groups: []string{"engineers"}, Contacts: v1alpha1.Contacts{Channel: "#platform"}}
	named := *chart.DeepCopy()
	named.Team = team
	for name, c := range map[string]struct {
		team *v1alpha1.PlatformTeam
		want v1alpha1.PlatformSpec
	}{
		"nobody named": {nil, chart}, // whoever set it keeps it
		"people":       {&team, named},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := d.platform(c.team)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := yaml.Marshal(o.Object)
			if err != nil {
				t.Fatal(err)
			}
			got := v1alpha1.Platform{}
			if err := yaml.UnmarshalStrict(raw, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Spec); diff != "" || got.Name != v1alpha1.PlatformName {
				t.Errorf("Platform %s (-want +got):\n%s", got.Name, diff)
			}
			if _, set := o.Object["spec"].(map[string]any)["team"]; set != (c.team != nil) {
				t.Errorf("it says of the platform's people: %v", o.Object["spec"])
			}
		})
	}
}
