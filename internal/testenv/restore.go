package testenv

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Restore puts objects into the store past the API server, as a backup of etcd that is
// restored does: UIDs, status, finalizers and managedFields stay what they were. What
// Demarc writes into an object covers its owner's UID, so a creation would not do.
func (e *Env) Restore(ctx context.Context, objects ...*unstructured.Unstructured) error {
	for _, o := range objects {
		gvk := o.GroupVersionKind()
		mapping, err := e.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return err
		}
		value, err := json.Marshal(o.Object)
		if err != nil {
			return err
		}
		if err := e.put(ctx, storeKey(mapping, o), value); err != nil {
			return fmt.Errorf("restore %s %s: %w", gvk.Kind, o.GetName(), err)
		}
	}
	return nil
}

// storeKey is where an API server keeps an object; those of CRDs lie under their group.
func storeKey(mapping *meta.RESTMapping, o *unstructured.Unstructured) string {
	group := mapping.Resource.Group
	if !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") {
		group = ""
	}
	return path.Join("/registry", group, mapping.Resource.Resource, o.GetNamespace(), o.GetName())
}

func (e *Env) put(ctx context.Context, key string, value []byte) error {
	body, err := json.Marshal(map[string][]byte{"key": []byte(key), "value": value}) // bytes become base64, as etcd wants them
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.store+"/v3/kv/put", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("etcd: %s %s", resp.Status, said)
	}
	return nil
}

// Objects reads all objects of the YAML files in a folder.
func Objects(dir string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no YAML files in %s: %w", dir, err)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, document := range bytes.Split(text, []byte("\n---\n")) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal(document, &o.Object); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			objects = append(objects, o)
		}
	}
	return objects, nil
}
