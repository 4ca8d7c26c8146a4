package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"demarc.dev/demarc/internal/argocd"
)

// argocdNamespace is where Platform looks for Argo CD unless it says otherwise.
const argocdNamespace = "argocd"

var errMissing = errors.New("something is missing, as listed above; nothing was changed")

// check says all that is missing in the user's cluster.
func (d *demo) check(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", d.Kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig %s: %w", d.Kubeconfig, err)
	}
	config.Timeout = 15 * time.Second
	f := facts{ChartRepo: d.ChartRepo, ChartRevision: d.ChartRevision, Tools: absentTools()}
	if err := f.ask(ctx, config); err != nil {
		return err
	}
	d.screen.text(strings.TrimSpace(config.Host + " " + f.Server))
	missing := false
	for _, found := range f.findings() {
		d.screen.text(found.String())
		missing = missing || !found.warning
	}
	if missing {
		return errMissing
	}
	return nil
}

// ask fills in what the cluster says.
func (f *facts) ask(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	info, err := client.Discovery().ServerVersion()
	if err != nil {
		f.Unreachable = err
		return ctx.Err()
	}
	f.Server = info.GitVersion
	f.Policies = len(f.absent(client.Discovery(), "admissionregistration.k8s.io/v1", "validatingadmissionpolicies")) == 0
	f.Kinds = f.absent(client.Discovery(), argocd.GroupVersion.String(), "applications", "appprojects")
	settings, err := client.CoreV1().ConfigMaps(argocdNamespace).Get(ctx, argocd.ConfigMap, metav1.GetOptions{})
	switch {
	case err == nil:
		f.Settings, f.Impersonation = true, settings.Data[argocd.ImpersonationKey] == "true"
	case !apierrors.IsNotFound(err):
		f.Unread = append(f.Unread, err)
	}
	return ctx.Err()
}

// absent returns those resources that a version of a group does not serve.
func (f *facts) absent(client discovery.DiscoveryInterface, version string, resources ...string) []string {
	list, err := client.ServerResourcesForGroupVersion(version)
	if err != nil && !apierrors.IsNotFound(err) {
		f.Unread = append(f.Unread, err)
	}
	if list == nil {
		return resources
	}
	return slices.DeleteFunc(resources, func(name string) bool {
		return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == name })
	})
}
