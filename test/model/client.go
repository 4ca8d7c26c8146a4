package model

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"demarc.dev/demarc/test/model/world"
)

var (
	errConflict = apierrors.NewConflict(schema.GroupResource{Resource: "anything"}, "any", fmt.Errorf("as the test has it"))
	errTimeout  = apierrors.NewTimeoutError("as the test has it", 1)
)

// liveReader reads from the API server; each read is a request.
type liveReader struct {
	process *process
	reader  world.Reader
}

// Get is part of client.Reader.
func (r liveReader) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	gvk, err := apiutil.GVKForObject(o, r.process.scheme)
	if err != nil {
		return err
	}
	return r.process.request(ctx, describe("get", world.Key{Kind: gvk.Kind, Namespace: key.Namespace, Name: key.Name}), func() error {
		return r.reader.Get(ctx, key, o, opts...)
	})
}

// List is part of client.Reader.
func (r liveReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(list, r.process.scheme)
	if err != nil {
		return err
	}
	return r.process.request(ctx, "list "+gvk.Kind, func() error { return r.reader.List(ctx, list, opts...) })
}

// cachedClient reads from the process's caches and writes to the API server. What the
// reconcilers do not use is not there, and a panic says so.
type cachedClient struct {
	client.Client
	reader world.Reader
	writer writer
}

// Get is part of client.Client.
func (c cachedClient) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	return c.reader.Get(ctx, key, o, opts...)
}

// List is part of client.Client.
func (c cachedClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return c.reader.List(ctx, list, opts...)
}

// Create is part of client.Client.
func (c cachedClient) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	return c.writer.create(ctx, o, opts...)
}

// Delete is part of client.Client.
func (c cachedClient) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	return c.writer.delete(ctx, o, opts...)
}

// Patch is part of client.Client.
func (c cachedClient) Patch(ctx context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
	return c.writer.patch(ctx, o, patch)
}

// Apply is part of client.Client.
func (c cachedClient) Apply(ctx context.Context, o runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
	return c.writer.apply(ctx, o, false)
}

// Status is part of client.Client.
func (c cachedClient) Status() client.SubResourceWriter { return statusWriter{writer: c.writer} }

type statusWriter struct {
	client.SubResourceWriter
	writer writer
}

// Apply is part of client.SubResourceWriter.
func (s statusWriter) Apply(ctx context.Context, o runtime.ApplyConfiguration, _ ...client.SubResourceApplyOption) error {
	return s.writer.apply(ctx, o, true)
}

// writer writes to the API server in a process's name.
type writer struct{ process *process }

func (w writer) actor(ctx context.Context) string {
	if t, ok := ctx.Value(taskKey{}).(*task); ok {
		return w.process.name + " " + t.String()
	}
	return w.process.name
}

func (w writer) create(ctx context.Context, o client.Object, _ ...client.CreateOption) error {
	u := o.(*unstructured.Unstructured)
	return w.process.request(ctx, describe("create", world.KeyOf(u)), func() error {
		made, err := w.process.world.Create(w.actor(ctx), u)
		if err == nil {
			u.Object = made.DeepCopy().Object
		}
		return err
	})
}

func (w writer) delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	var options client.DeleteOptions
	options.ApplyOptions(opts)
	var uid types.UID
	if options.Preconditions != nil && options.Preconditions.UID != nil {
		uid = *options.Preconditions.UID
	}
	k := world.KeyOf(o.(*unstructured.Unstructured))
	return w.process.request(ctx, describe("delete", k), func() error { return w.process.world.Delete(w.actor(ctx), k, uid) })
}

func (w writer) patch(ctx context.Context, o client.Object, patch client.Patch) error {
	u := o.(*unstructured.Unstructured)
	data, err := patch.Data(o)
	if err != nil {
		return err
	}
	if patch.Type() != types.MergePatchType {
		return fmt.Errorf("the model knows no patch of type %s", patch.Type())
	}
	k := world.KeyOf(u)
	return w.process.request(ctx, describe("patch", k), func() error {
		after, err := w.process.world.MergePatch(w.actor(ctx), k, data)
		if err == nil {
			u.Object = after.DeepCopy().Object
		}
		return err
	})
}

func (w writer) apply(ctx context.Context, o runtime.ApplyConfiguration, status bool) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return err
	}
	what := "apply"
	if status {
		what = "apply status of"
	}
	return w.process.request(ctx, describe(what, world.KeyOf(u)), func() error {
		after, err := w.process.world.Apply(w.actor(ctx), u, status)
		if err != nil {
			return err
		}
		if raw, err = json.Marshal(after.Object); err != nil {
			return err
		}
		return json.Unmarshal(raw, o)
	})
}
