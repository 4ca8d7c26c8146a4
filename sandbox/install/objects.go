package install

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// manager is the field manager of what is applied here.
const manager = client.FieldOwner("demarc-sandbox")

// applyCRDs applies the CRDs: helm installs them once and never upgrades them.
func (d *Demarc) applyCRDs(ctx context.Context, o Options) error {
	c, err := d.client()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(o.Root, "charts", "demarc", "crds", "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no CRDs in %s (is it a checkout of Demarc?): %w", o.Root, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		crd, err := decode(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(crd), manager, client.ForceOwnership); err != nil {
			return err
		}
		if err := awaitEstablished(ctx, c, crd); err != nil {
			return err
		}
	}
	return nil
}

func awaitEstablished(ctx context.Context, c client.Client, crd *unstructured.Unstructured) error {
	live := crd.DeepCopy()
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(crd), live); err != nil {
			return false, err
		}
		conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
		for _, condition := range conditions {
			m, _ := condition.(map[string]any)
			if m["type"] == "Established" && m["status"] == "True" {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s to be served: %w", crd.GetName(), err)
	}
	return nil
}

// applyPlatform names the chart, and the platform's people. After a fresh CRD the API server may take a moment to let the object through.
func (d *Demarc) applyPlatform(ctx context.Context, o Options) error {
	if o.WithoutPlatform {
		return nil
	}
	c, err := d.client()
	if err != nil {
		return err
	}
	platform, err := d.platform(o.Team)
	if err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		// Not by force: on a cluster of the user's the chart may be named already.
		err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(platform), manager)
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return false, nil
		}
		if apierrors.IsConflict(err) {
			return false, fmt.Errorf("the Platform says otherwise, by somebody else's hand (to go by the chart that it names, delete nothing and set CHART_REPO and CHART_REVISION to the same): %w", err)
		}
		return err == nil, err
	})
}

// platform is the Platform as far as it is set here.
func (d *Demarc) platform(team *v1alpha1.PlatformTeam) (*unstructured.Unstructured, error) {
	spec := map[string]any{"chart": map[string]any{"repoURL": d.ChartRepo, "targetRevision": d.ChartRevision}}
	if team != nil {
		who, err := runtime.DefaultUnstructuredConverter.ToUnstructured(team)
		if err != nil {
			return nil, fmt.Errorf("the platform's people: %w", err)
		}
		spec["team"] = who
	}
	platform := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	platform.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("Platform"))
	platform.SetName(v1alpha1.PlatformName)
	return platform, nil
}

func (d *Demarc) client() (client.Client, error) {
	config, err := d.Sandbox.RESTConfig()
	if err != nil {
		return nil, err
	}
	return client.New(config, client.Options{})
}

func decode(text []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	err := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("---\n"))), 4096).Decode(&u.Object)
	if err == nil && strings.TrimSpace(u.GetKind()) == "" {
		err = fmt.Errorf("it holds no object")
	}
	return u, err
}
