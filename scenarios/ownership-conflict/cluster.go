package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

//go:embed before/*.yaml after/*.yaml
var files embed.FS

// object is the reference to an object that is to be read.
func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// applyFile applies one of the scenario's files, each object in its order.
func applyFile(ctx context.Context, c client.Client, path string) error {
	text, err := files.ReadFile(path)
	if err != nil {
		return err
	}
	return apply(ctx, c, text)
}

func apply(ctx context.Context, c client.Client, text []byte) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(u.Object) == 0 {
			continue
		}
		config := client.ApplyConfigurationFromUnstructured(u)
		if err := c.Apply(ctx, config, client.FieldOwner("scenario"), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
}

// await reads an object until it is as wanted. One that stays otherwise is an error that says how it is.
func await(ctx context.Context, c client.Reader, u *unstructured.Unstructured, wanted func(*unstructured.Unstructured) (bool, error)) error {
	err := poll(ctx, func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		return wanted(u)
	})
	if err != nil {
		last, _ := lines(u)
		return fmt.Errorf("wait for %s %s: %w; last seen: %s", u.GetKind(), u.GetName(), err, strings.Join(last, "; "))
	}
	return nil
}

// gone deletes an object and waits until it is no more.
func gone(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	if err := c.Delete(ctx, u); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	err := poll(ctx, func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(u), u)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("wait until %s %s is gone: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

func poll(ctx context.Context, done wait.ConditionWithContextFunc) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, done)
}
