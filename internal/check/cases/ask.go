package cases

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
)

// said is what a policy said.
type said struct {
	word    Word
	message string
}

// ask puts a case to the policies. Those that did not look at it are not in the answer.
func (c Case) ask(policies *offline.Policies, others []runtime.Object, now time.Time) (map[string]said, error) {
	w := &offline.World{At: now}
	if c.At != nil {
		w.At = c.At.Time
	}
	namespace := cmp.Or(c.Namespace.Name, "test")
	w.Add(others...)
	w.Add(c.space(namespace))
	for i, raw := range c.Given {
		o, err := admitted.Decode(raw)
		if err != nil {
			return nil, fmt.Errorf("given[%d] cannot be read: %w", i, err)
		}
		w.Add(o)
	}
	r := offline.Request{Operation: admission.Operation(c.Operation), Namespace: namespace, Subresource: c.Subresource, User: user.DefaultInfo{Name: c.User.Name, Groups: c.User.Groups}}
	for _, one := range []struct {
		what string
		raw  json.RawMessage
		into *runtime.Object
	}{{"object", c.Object, &r.Object}, {"old", c.Old, &r.Old}} {
		if one.raw == nil {
			continue
		}
		o, err := admitted.Decode(one.raw)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", one.what, err)
		}
		*one.into = o
	}
	if r.Operation == offline.Delete {
		r.Object = nil
	}
	c.scaled(&r)
	review, err := policies.Review(r, w)
	if err != nil {
		return nil, err
	}
	return words(review), nil
}

// scaled makes of a workload before and after what its subresource scale is asked.
func (c Case) scaled(r *offline.Request) {
	if c.Subresource != "scale" || r.Old == nil {
		return
	}
	before, after := admitted.Scale(r.Old), admitted.Scale(r.Object)
	if before != nil && after != nil {
		r.Resource = admitted.KindOf(r.Old.GetObjectKind().GroupVersionKind()).Resource
		r.Object, r.Old = admitted.Placed(after, r.Namespace, false), admitted.Placed(before, r.Namespace, false)
	}
}

func (c Case) space(name string) *corev1.Namespace {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: maps.Clone(c.Namespace.Labels)}}
	n.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return n
}
