package lab

import (
	_ "embed" // for CRD
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// CRD is the old kind's definition.
//
//go:embed lab.demarc.dev_serviceclaims.yaml
var CRD []byte

// New wires the old controller, ready to be started.
func New(config *rest.Config, chart Chart, log logr.Logger) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := AddToScheme(scheme); err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Logger: log, Metrics: server.Options{BindAddress: "0"},
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)}, // tests run it more than once
	})
	if err != nil {
		return nil, fmt.Errorf("wire the old controller: %w", err)
	}
	app := &unstructured.Unstructured{}
	app.SetGroupVersionKind(applicationKind)
	return mgr, ctrl.NewControllerManagedBy(mgr).
		For(&ServiceClaim{}).
		Owns(&corev1.Namespace{}).
		Owns(&rbacv1.RoleBinding{}).
		Owns(&corev1.ResourceQuota{}).
		Owns(app).
		Complete(&Reconciler{Client: mgr.GetClient(), Chart: chart})
}
