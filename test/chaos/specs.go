package main

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/render"
)

// strangeNamespace is a team's, made by somebody else; strangeProject its AppProject.
func strangeNamespace(team string) client.Object {
	return kube.Named(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", v1alpha1.NamespaceOf(team))
}

func strangeProject(team string) client.Object {
	p := kube.Named(argocd.ProjectKind, "argocd", render.ProjectName(team))
	_ = unstructured.SetNestedField(p.Object, "of somebody else", "spec", "description") // its spec is absent, so that it can be
	return p
}

// pick is one of several.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// tenantSpec has room for all that a story asks for: what fits into a budget would hang on what came first.
func (a *author) tenantSpec() v1alpha1.TenantSpec {
	var spec v1alpha1.TenantSpec
	if a.r.IntN(8) > 0 {
		spec.Resources = &v1alpha1.Budget{
			CPU: ptr.To(intstr.FromInt32(int32(4 + a.r.IntN(8)))), Memory: ptr.To(intstr.FromString(fmt.Sprintf("%dGi", 12+a.r.IntN(20)))),
			Pods: ptr.To(int64(40 + a.r.IntN(40))),
		}
	}
	spec.Access = pick(a.r,
		nil,
		[]v1alpha1.TenantAccess{},
		[]v1alpha1.TenantAccess{{Group: "org:" + a.team, Role: "edit"}, {User: "ann@example.org", Role: "view"}},
		[]v1alpha1.TenantAccess{{Group: "org:" + a.team, Role: "operate"}},
		[]v1alpha1.TenantAccess{{ServiceAccount: &v1alpha1.TenantServiceAccount{Namespace: "ci", Name: "deployer"}, Role: "edit"}, {User: "ann@example.org", Role: "operate"}},
	)
	if a.r.IntN(3) == 0 {
		spec.Sources = []v1alpha1.TenantSource{{RepoURL: "https://git.example.org/" + a.team + "/app.git"}}
	}
	return spec
}

func (a *author) claimSpec() v1alpha1.ServiceClaimSpec {
	spec := v1alpha1.ServiceClaimSpec{
		Team:     a.team,
		Image:    fmt.Sprintf("registry.example/%s/service:%d", a.team, 1+a.r.IntN(9)),
		Replicas: pick(a.r, nil, nil, ptr.To[int32](0), ptr.To[int32](2), ptr.To[int32](3)),
	}
	if a.r.IntN(4) == 0 {
		spec.Port = ptr.To[int32](8080)
	}
	for _, name := range []string{"LEVEL", "REGION"} {
		if a.r.IntN(3) == 0 {
			spec.Env = append(spec.Env, v1alpha1.ClaimEnv{Name: name, Value: pick(a.r, "low", "high", "")})
		}
	}
	return spec
}
