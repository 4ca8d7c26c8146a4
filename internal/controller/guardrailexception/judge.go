package guardrailexception

import (
	"fmt"
	"slices"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/compile"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/kube"
)

// judge asks the rules what the API server would say if objects that are there were made
// now, exceptions apart. A rule is compiled when it is asked first.
type judge struct {
	mu    sync.Mutex
	rules map[string]*offline.Policies
}

func (j *judge) rule(id string) (*offline.Policies, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if known := j.rules[id]; known != nil {
		return known, nil
	}
	r, ok := guardrail.Find(id)
	if !ok {
		return nil, fmt.Errorf("there is no rule %s", id)
	}
	policy, err := compile.Policy(r)
	if err != nil {
		return nil, err
	}
	denies := slices.DeleteFunc(compile.Bindings(r), func(b *admissionv1.ValidatingAdmissionPolicyBinding) bool {
		return guardrail.ModeOfSet(b.Spec.ParamRef.Name) != v1alpha1.GuardrailDeny
	})
	made, err := offline.Compile([]*admissionv1.ValidatingAdmissionPolicy{policy}, denies)
	if err != nil {
		return nil, err
	}
	if j.rules == nil {
		j.rules = map[string]*offline.Policies{}
	}
	j.rules[id] = made
	return made, nil
}

// breaking are the objects that break a rule, whatever its mode is.
func (j *judge) breaking(id, team string, sets []v1alpha1.GuardrailSet, objects []*unstructured.Unstructured, at time.Time) (out []*unstructured.Unstructured, err error) {
	if len(objects) == 0 {
		return nil, nil
	}
	policies, err := j.rule(id)
	if err != nil {
		return nil, err
	}
	world := &offline.World{At: at}
	world.Add(namespaceOf(team), kube.Untyped(refusing(id, sets), setKind))
	for _, o := range objects {
		typed, err := admitted.Typed(o)
		if err != nil {
			return nil, err
		}
		said, err := policies.Review(offline.Request{Operation: offline.Create, Object: typed}, world)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(said.Verdicts, func(v offline.Verdict) bool { return v.Outcome == offline.Broken }) {
			out = append(out, o)
		}
	}
	return out, nil
}

// refusing is a set by which one rule holds for everybody, and without exceptions.
func refusing(id string, sets []v1alpha1.GuardrailSet) *v1alpha1.GuardrailSet {
	name := string(v1alpha1.GuardrailDeny)
	if r, known := guardrail.Find(id); known {
		name = r.Set(v1alpha1.GuardrailDeny)
	}
	set := &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for i := range sets {
		if sets[i].Name == name {
			set.Spec.Limits, set.Spec.Domains = sets[i].Spec.Limits, sets[i].Spec.Domains
		}
	}
	set.Spec.Rules = []string{id}
	return set
}

func namespaceOf(team string) *corev1.Namespace {
	return &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.NamespaceOf(team), Labels: map[string]string{v1alpha1.LabelTenant: team}}}
}
