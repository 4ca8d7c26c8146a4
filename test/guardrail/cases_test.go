package guardrail

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// one of testdata/cases.yaml.
type one struct {
	Rule, Name  string
	Pod, Object fields
	Annotations fields
	// Template is that the pod is tried as that of a Deployment, as the API server fills
	// pods in.
	Template bool
	Refused  string
}

// What is easily judged wrongly, each a line of the file.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.yaml")
	must(t, err)
	var all []one
	must(t, yaml.UnmarshalStrict(text, &all))
	for _, c := range all {
		t.Run(c.Rule+": "+c.Name, func(t *testing.T) {
			t.Parallel()
			o := &unstructured.Unstructured{Object: c.Object}
			if c.Pod != nil {
				pod, as := fields{"spec": c.Pod}, shapes[0]
				if c.Annotations != nil {
					pod["metadata"] = fields{"annotations": c.Annotations}
				}
				if c.Template {
					as = shapes[2]
				}
				o = as.of(pod)
			}
			err := create(t, c.Rule, o)
			switch {
			case c.Refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.Refused != "" && (!refusedBy(c.Rule, err) || !strings.Contains(err.Error(), c.Refused)):
				t.Errorf("want %q, have %v", c.Refused, err)
			}
		})
	}
}
