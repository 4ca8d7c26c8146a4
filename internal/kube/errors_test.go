package kube

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestKindOf(t *testing.T) {
	claims := schema.GroupResource{Group: "demarc.dev", Resource: "serviceclaims"}
	for name, c := range map[string]struct {
		err  error
		want Kind
	}{
		"no error":                     {nil, Transient},
		"any other":                    {errors.New("connection refused"), Transient},
		"a right that is missing":      {apierrors.NewForbidden(claims, "web", errors.New("no")), Forbidden},
		"a policy that is not set up":  {apierrors.NewForbidden(claims, "web", errors.New("failed to configure policy: no such kind")), Transient},
		"what the API server mistakes": {apierrors.NewBadRequest("no"), Invalid},
	} {
		if got := KindOf(c.err); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
