// Package road holds what claims become on the paved road: rendered by Helm's engine as
// Argo CD renders them, for both profiles of the guardrails, and tried on a real API server.
package road

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/charts"
	"demarc.dev/demarc/internal/chart"
	"demarc.dev/demarc/internal/crd"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/secretshape"
	"demarc.dev/demarc/internal/snapshot"
)

var update = flag.Bool("update", false, "write the golden files anew")

var profiles = []v1alpha1.GuardrailProfile{v1alpha1.ProfileBaseline, v1alpha1.ProfileStrict}

// asked is a claim of testdata, and the Platform that it is rendered for.
type asked struct {
	name     string
	claim    *v1alpha1.ServiceClaim
	platform v1alpha1.Platform
}

// claims are those of testdata. A file holds a claim, and a Platform where the usual one
// will not do.
func claims(t *testing.T) []asked {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "claims", "*.yaml"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d claims: %v", len(files), err)
	}
	var all []asked
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := snapshot.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		a := asked{name: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		a.platform.Spec.Chart = &v1alpha1.PlatformChart{RepoURL: "https://git.example/platform.git", TargetRevision: "v2"}
		for _, o := range objects {
			switch o.GetKind() {
			case "ServiceClaim":
				a.claim, err = snapshot.Into[v1alpha1.ServiceClaim](o)
			case "Platform":
				var p *v1alpha1.Platform
				if p, err = snapshot.Into[v1alpha1.Platform](o); err == nil {
					a.platform = *p
				}
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		all = append(all, a)
	}
	return all
}

// rendered is what a claim becomes in a profile, as Argo CD would apply it.
func (a asked) rendered(profile v1alpha1.GuardrailProfile) ([]chart.Object, error) {
	p := a.platform
	p.Spec.Guardrails.Profile = profile
	values, err := render.Values(a.claim, render.SettingsOf(&p))
	if err != nil {
		return nil, err
	}
	return chart.RenderFS(charts.Service(), chart.Release{Name: a.claim.Name, Namespace: v1alpha1.NamespaceOf(a.claim.Spec.Team), Values: values})
}

// TestRoad holds what each option and each kind of workload becomes.
func TestRoad(t *testing.T) {
	for _, a := range claims(t) {
		for _, profile := range profiles {
			t.Run(a.name+"/"+string(profile), func(t *testing.T) {
				objects, err := a.rendered(profile)
				if err != nil {
					t.Fatal(err)
				}
				var got bytes.Buffer
				for _, o := range objects {
					text, err := yaml.Marshal(o.Object)
					if err != nil {
						t.Fatal(err)
					}
					got.WriteString("---\n# " + o.Template + "\n" + string(text))
				}
				golden := filepath.Join("testdata", string(profile), a.name+".yaml")
				if *update {
					if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got.String()); diff != "" {
					t.Errorf("%s differs (-want +got); if that is meant: go test ./test/road -update\n%s", golden, diff)
				}
			})
		}
	}
}

// What the chart gives a container that says nothing is what render reckons with.
func TestResourcesOfTheRoad(t *testing.T) {
	objects, err := asked{claim: &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "shop", Image: "nginx"}}}.named("web").rendered("")
	if err != nil {
		t.Fatal(err)
	}
	got := container(t, objects)["resources"].(map[string]any)
	want := map[string]any{
		"requests": map[string]any{"cpu": render.RoadCPURequest.String(), "memory": render.RoadMemoryRequest.String()},
		"limits":   map[string]any{"memory": render.RoadMemoryLimit.String()},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func (a asked) named(name string) asked {
	a.claim.Name = name
	return a
}

// container is the one of the first workload among objects.
func container(t *testing.T, objects []chart.Object) map[string]any {
	t.Helper()
	for _, o := range objects {
		if spec := podOf(o); spec != nil {
			return spec["containers"].([]any)[0].(map[string]any)
		}
	}
	t.Fatal("nothing has a pod")
	return nil
}

// podOf is the spec of the pods that an object makes; nil where it makes none.
func podOf(o chart.Object) map[string]any {
	path := map[string][]string{
		"Deployment": {"spec", "template", "spec"}, "StatefulSet": {"spec", "template", "spec"}, "Job": {"spec", "template", "spec"},
		"CronJob": {"spec", "jobTemplate", "spec", "template", "spec"},
	}[o.GetKind()]
	node, found := any(o.Object), path != nil
	for _, key := range path {
		node = node.(map[string]any)[key]
	}
	if !found {
		return nil
	}
	return node.(map[string]any)
}

// A Job cannot be changed: what changes its pod is another Job, and what does not is none.
func TestJobsAreNamedAfterWhatTheyRun(t *testing.T) {
	name := func(change func(*v1alpha1.ServiceClaimSpec)) string {
		a := asked{claim: &v1alpha1.ServiceClaim{Spec: v1alpha1.ServiceClaimSpec{Team: "shop", Image: "nginx:1"}}}.named("web")
		a.claim.Spec.Kind = v1alpha1.KindJob
		change(&a.claim.Spec)
		objects, err := a.rendered(v1alpha1.ProfileBaseline)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(objects, func(o chart.Object) bool { return o.GetKind() == "Job" })
		return objects[i].GetName()
	}
	first := name(func(*v1alpha1.ServiceClaimSpec) {})
	if again := name(func(*v1alpha1.ServiceClaimSpec) {}); again != first {
		t.Errorf("the same claim: %s and %s", first, again)
	}
	for what, change := range map[string]func(*v1alpha1.ServiceClaimSpec){
		"image": func(s *v1alpha1.ServiceClaimSpec) { s.Image = "nginx:2" },
		"file":  func(s *v1alpha1.ServiceClaimSpec) { s.Files = []v1alpha1.ClaimFile{{Path: "/a", Content: "b"}} },
		"note": func(s *v1alpha1.ServiceClaimSpec) {
			s.Annotations = map[string]v1alpha1.ClaimAnnotationValue{"again": "1"}
		},
		"retries": func(s *v1alpha1.ServiceClaimSpec) { s.Job = &v1alpha1.ClaimJob{TimeoutSeconds: new(int64(9))} },
	} {
		if got := name(change); got == first || !strings.HasPrefix(got, "web-") || len(got) != len("web-")+8 {
			t.Errorf("another %s: %s, and %s before", what, got, first)
		}
	}
}

// The examples are claims that pass, and become something for both profiles.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "road", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := snapshot.Parse(text)
		if err != nil || len(objects) != 1 {
			t.Fatalf("%s: %d objects, %v", file, len(objects), err)
		}
		if found, err := crd.Create(objects[0]); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", file, err, found.ToAggregate())
		}
		claim, err := snapshot.Into[v1alpha1.ServiceClaim](objects[0])
		if err != nil {
			t.Fatal(err)
		}
		if found := secretshape.Find(claim); len(found) > 0 {
			t.Errorf("%s: %v", file, found)
		}
		for _, profile := range profiles {
			if made, err := (asked{claim: claim}).rendered(profile); err != nil || container(t, made) == nil {
				t.Errorf("%s under %s: %v", file, profile, err)
			}
		}
	}
}
