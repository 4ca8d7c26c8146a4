package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
)

// former are objects that a team had before there were rules, so that they can be changed:
// of each rule one that keeps it and one that breaks it, of a kind that takes turns.
type former struct {
	rule      guardrail.Rule
	good, bad runtime.Object
}

// formers lists them. Those of kinds that the API server does not serve are left out.
func formers() (list []former) {
	for i, r := range guardrail.Catalogue() {
		kind := changeable[i%len(changeable)]
		f := former{r, carrying(r.Good, kind), carrying(r.Bad, kind)}
		if f.good == nil || f.bad == nil || !judges(r, kind) {
			f.good, f.bad = example(r.Good), example(r.Bad)
		}
		if !admitted.Builtin(f.bad.GetObjectKind().GroupVersionKind()) || !admitted.Builtin(f.good.GetObjectKind().GroupVersionKind()) {
			continue
		}
		named(f.good, "good-"+r.ID)
		named(f.bad, "bad-"+r.ID)
		list = append(list, f)
	}
	return list
}

// judges reports whether a rule looks at a kind.
func judges(r guardrail.Rule, kind string) bool {
	for _, rule := range r.Resources() {
		for _, resource := range rule.Resources {
			if resource == strings.ToLower(kind)+"s" {
				return true
			}
		}
	}
	return false
}

func named(o runtime.Object, name string) { admitted.Meta(o).SetName(name) }

// store makes an object, in a team's namespace where one is given; it must be before there
// are rules.
func store(ctx context.Context, team string, o runtime.Object) error {
	if team != "" {
		o = admitted.Placed(o, v1alpha1.NamespaceOf(team), false)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return err
	}
	if err := env.Client.Create(ctx, u, client.FieldOwner("demarc-check")); err != nil {
		return fmt.Errorf("store %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

// storeAll stores the formers, a pod to debug and to resize, and one that is going.
func storeAll(ctx context.Context) error {
	for _, f := range formers() {
		for _, o := range []runtime.Object{f.good, f.bad} {
			if err := store(ctx, bare, o); err != nil {
				return err
			}
		}
	}
	for _, o := range []runtime.Object{runningPod(), goingPod()} {
		if err := store(ctx, bare, o); err != nil {
			return err
		}
	}
	going := &unstructured.Unstructured{}
	going.SetAPIVersion("v1")
	going.SetKind("Pod")
	key := types.NamespacedName{Namespace: v1alpha1.NamespaceOf(bare), Name: "going"}
	if err := env.Client.Get(ctx, key, going); err != nil {
		return err
	}
	return env.Client.Delete(ctx, going)
}

const (
	container = `{"name":"web","image":"registry.example/shop/web:1.4","resources":{"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"cpu":"200m","memory":"128Mi"}}}`
	running   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"running","labels":{"app":"web"}},"spec":{"containers":[` + container + `]}}`
	going     = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"going","finalizers":["example.com/keep"]},"spec":{"containers":[` + container + `]}}`
)

func runningPod() runtime.Object { return parsed(running) }
func goingPod() runtime.Object   { return parsed(going) }
