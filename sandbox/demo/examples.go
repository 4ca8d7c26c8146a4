package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"demarc.dev/demarc/api/v1alpha1"
)

// examples is the folder that is applied, in the checkout.
const examples = "examples"

// object names one of Demarc's own.
type object struct{ kind, name string }

func (o object) String() string { return strings.ToLower(o.kind) + "/" + o.name }

func objectOf(u *unstructured.Unstructured) object { return object{u.GetKind(), u.GetName()} }

// platform becomes Ready with what is applied; the install made it.
var platform = object{"Platform", v1alpha1.PlatformName}

// apply gives the whole folder to kubectl at once: what arrives first waits for what it needs.
func (d *demo) apply(ctx context.Context) (err error) {
	if d.objects, err = readObjects(filepath.Join(d.Root, examples)); err != nil {
		return err
	}
	if d.changes, err = d.watch(ctx); err != nil {
		return err
	}
	d.screen.text("$ kubectl apply -f " + examples + "/")
	d.applied = time.Now()
	return d.kubectl(ctx, "apply", "-f", examples+"/")
}

// readObjects lists what must become Ready: Demarc's own kinds in a folder's files, in their order, and the Platform.
func readObjects(dir string) ([]object, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no *.yaml in %s (is it a checkout of Demarc?): %w", dir, err)
	}
	list := []object{platform}
	for _, file := range files {
		found, err := readFile(file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		list = append(list, found...)
	}
	return list, nil
}

func readFile(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []object
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var u unstructured.Unstructured
		err := decoder.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if u.GroupVersionKind().Group == v1alpha1.GroupName {
			list = append(list, objectOf(&u))
		}
	}
}
