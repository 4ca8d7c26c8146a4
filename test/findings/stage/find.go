package stage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/test/findings/incident"
)

// found are the objects that a reference means, once there is one: resource/name or
// resource?selector, with @namespace behind it where that is not the team's.
func (s *Scene) found(ctx context.Context, of string) (list []object, err error) {
	err = eventually(ctx, func() error {
		if list, err = s.lookUp(ctx, of); err == nil && len(list) == 0 {
			err = fmt.Errorf("there is none of %s", of)
		}
		return err
	})
	return list, err
}

func (s *Scene) lookUp(ctx context.Context, of string) ([]object, error) {
	of, namespace, _ := strings.Cut(s.fill(of, nil), "@")
	if namespace == "" {
		namespace = s.Namespace()
	}
	resource, selector, selected := strings.Cut(of, "?")
	name, named := "", false
	if !selected {
		resource, name, named = strings.Cut(of, "/")
	}
	gvk, err := s.on.Client.RESTMapper().KindFor(schema.ParseGroupResource(resource).WithVersion(""))
	if err != nil {
		return nil, err
	}
	chosen, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	options := []client.ListOption{client.MatchingLabelsSelector{Selector: chosen}}
	if mapping, err := s.on.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version); err != nil {
		return nil, err
	} else if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		options = append(options, client.InNamespace(namespace))
	}
	if err := s.on.Client.List(ctx, all, options...); err != nil {
		return nil, err
	}
	var out []object
	for i := range all.Items {
		if !named || all.Items[i].GetName() == name {
			out = append(out, &all.Items[i])
		}
	}
	return out, nil
}

// until waits until objects hold a text, as JSON without blanks.
func (s *Scene) until(ctx context.Context, u incident.Until) error {
	want := s.fill(u.Says, nil)
	return within(ctx, cmp.Or(u.Within.Duration, patience), func() error {
		list, err := s.lookUp(ctx, u.Of)
		if err != nil || u.Gone && len(list) == 0 {
			return err
		}
		saying := 0
		for _, o := range list {
			if text, _ := json.Marshal(o.Object); strings.Contains(string(text), want) {
				saying++
			}
		}
		if u.Gone || saying == 0 || saying < u.Count || u.Count == 0 && saying < len(list) {
			return fmt.Errorf("of %d %s %d hold %q", len(list), u.Of, saying, want)
		}
		return nil
	})
}

// final is an error that waiting does not mend.
type final struct{ error }

func eventually(ctx context.Context, check func() error) error { return within(ctx, patience, check) }

func within(ctx context.Context, limit time.Duration, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		var last final
		if err == nil || errors.As(err, &last) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %s: %w", limit, err)
		case <-tick.C:
		}
	}
}
