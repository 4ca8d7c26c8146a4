// Package operator wires the controllers: every controller is in one list here,
// so that one read shows the operator.
package operator

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/controller/accessgrant"
	"demarc.dev/demarc/internal/controller/budgetrequest"
	"demarc.dev/demarc/internal/controller/guardrail"
	"demarc.dev/demarc/internal/controller/guardrailexception"
	"demarc.dev/demarc/internal/controller/outcome"
	"demarc.dev/demarc/internal/controller/ownershipcontract"
	"demarc.dev/demarc/internal/controller/platform"
	"demarc.dev/demarc/internal/controller/serviceclaim"
	"demarc.dev/demarc/internal/controller/tenant"
	"demarc.dev/demarc/internal/diagnosis/runner"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/review"
)

// Options are the operator's flags.
type Options struct {
	// MetricsAddress to serve Prometheus metrics on; "0" serves none.
	MetricsAddress string
	// ProbeAddress to serve /healthz and /readyz on; "0" serves none.
	ProbeAddress string
	// LeaderElection, and the namespace of its Lease.
	LeaderElection bool
	Namespace      string
	// ReviewsPerSecond is how many questions about the contract the API server is asked in a
	// second; 0 is the default of internal/review.
	ReviewsPerSecond float32
	// TriageInterval is how often triage looks at the cluster while no claim is in trouble;
	// zero is runner.DefaultInterval.
	TriageInterval time.Duration
	// Clock is the wall clock where it is nil.
	Clock clock.PassiveClock
	// SkipNameValidation lets several operators run in one process, for tests.
	SkipNameValidation bool
}

// Scheme knows the kinds that the operator reads as types.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(s); err != nil {
		return nil, err
	}
	return s, v1alpha1.AddToScheme(s)
}

// New wires an operator that is ready to be started.
func New(config *rest.Config, o Options) (ctrl.Manager, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	if o.TriageInterval != 0 && o.TriageInterval < runner.LeastInterval {
		return nil, fmt.Errorf("wire the operator: the triage interval is %s: make it %s at least, or leave it out for %s", o.TriageInterval, runner.LeastInterval, runner.DefaultInterval)
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	watches := &watchHealth{}
	asked := &kinds{scheme: scheme, watches: watches}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         cacheOptions(watches),
		NewCache:                      asked.newCache,
		Client:                        clientOptions(),
		Controller:                    controllerOptions(o),
		Metrics:                       server.Options{BindAddress: o.MetricsAddress},
		HealthProbeBindAddress:        o.ProbeAddress,
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              "demarc-operator",
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, fmt.Errorf("wire the operator: %w", err)
	}
	argo, err := addArgoCD(mgr, watches)
	if err != nil {
		return nil, err
	}
	beats := &hearts{clock: o.Clock, waitsForLead: o.LeaderElection, kinds: asked}
	reviews, err := newReviews(mgr, watches, o)
	if err != nil {
		return nil, err
	}
	if err := addControllers(mgr, argo, reviews, beats, o); err != nil {
		return nil, err
	}
	return mgr, addProbes(mgr, watches, beats)
}

// addArgoCD gives Argo CD's kinds a cache of their own: that of the manager cannot be made for kinds that are not served yet.
func addArgoCD(mgr ctrl.Manager, watches *watchHealth) (*kube.ArgoCD, error) {
	own, err := cache.New(mgr.GetConfig(), argoCacheOptions(mgr, watches))
	if err != nil {
		return nil, fmt.Errorf("make the cache of Argo CD's kinds: %w", err)
	}
	if err := mgr.Add(own); err != nil {
		return nil, err
	}
	return kube.NewArgoCD(mgr.GetAPIReader(), own), nil
}

// newReviews gives what asks the API server a cache of its own: the manager's holds of RBAC
// what is ours alone.
func newReviews(mgr ctrl.Manager, watches *watchHealth, o Options) (*review.Runner, error) {
	own, err := cache.New(mgr.GetConfig(), cache.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), HTTPClient: mgr.GetHTTPClient(),
		DefaultTransform: review.Trim, DefaultWatchErrorHandler: watches.failed})
	if err != nil {
		return nil, fmt.Errorf("make the cache of RBAC: %w", err)
	}
	return &review.Runner{Clock: o.Clock, Cached: mgr.GetClient(), Cache: mgr.GetCache(), RBAC: own, PerSecond: o.ReviewsPerSecond}, nil
}

// addControllers is the list of all controllers.
func addControllers(mgr ctrl.Manager, argo *kube.ArgoCD, reviews *review.Runner, beats *hearts, o Options) error {
	now := o.Clock
	argo.Heart = beats.of("argocd")
	contracts := &kube.Contracts{Cached: mgr.GetClient(), Policy: render.BoundaryName}
	reviews.Contracts = contracts
	served, err := discovery.NewDiscoveryClientForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("ask for the kinds that are served: %w", err)
	}
	c, recorder := mgr.GetClient(), outcome.Brief{EventRecorder: mgr.GetEventRecorder("demarc-operator")}
	looks := &runner.Runner{Clock: now, Cached: c, Interval: o.TriageInterval}
	for _, controller := range []interface{ SetupWithManager(ctrl.Manager) error }{
		argo, looks,
		&platform.Reconciler{Heart: beats.of("platform"), Ensurer: ensurer(mgr, argo, platform.Manager),
			Client: c, ArgoCD: argo, Contracts: contracts, Clock: now, Recorder: recorder},
		&ownershipcontract.Reconciler{Heart: beats.of("ownershipcontract"), Ensurer: ensurer(mgr, argo, ownershipcontract.Manager),
			Client: c, ArgoCD: argo, Contracts: contracts, Discovery: served, Reviews: reviews, Clock: now, Recorder: recorder},
		reviews,
		&tenant.Reconciler{Heart: beats.of("tenant"), Ensurer: ensurer(mgr, argo, tenant.Manager),
			Client: c, ArgoCD: argo, Contracts: contracts, Triage: looks, Clock: now, Recorder: recorder},
		&accessgrant.Reconciler{Heart: beats.of("accessgrant"), Ensurer: ensurer(mgr, argo, accessgrant.Manager),
			Client: c, Clock: now, Recorder: recorder},
		&budgetrequest.Reconciler{Heart: beats.of("budgetrequest"), Ensurer: ensurer(mgr, argo, budgetrequest.Manager),
			Client: c, Clock: now, Recorder: recorder},
		&guardrail.Reconciler{Heart: beats.of("guardrail"), Ensurer: ensurer(mgr, argo, guardrail.Manager), Client: c, Clock: now},
		&guardrailexception.Reconciler{Heart: beats.of("guardrailexception"), Ensurer: ensurer(mgr, argo, guardrailexception.Manager),
			Client: c, Clock: now, Recorder: recorder},
		&serviceclaim.Reconciler{Heart: beats.of("serviceclaim"), Ensurer: ensurer(mgr, argo, serviceclaim.Manager),
			Client: c, ArgoCD: argo, Triage: looks, Clock: now, Recorder: recorder},
	} {
		if err := controller.SetupWithManager(mgr); err != nil {
			return fmt.Errorf("set up %T: %w", controller, err)
		}
	}
	return registerCollectors(mgr)
}

func ensurer(mgr ctrl.Manager, argo *kube.ArgoCD, manager string) kube.Ensurer {
	return kube.Ensurer{Cached: argo.Reader(mgr.GetClient()), Live: mgr.GetAPIReader(), Writer: mgr.GetClient(), Manager: manager, Writes: &kube.Writes{}}
}

// clientOptions: what is kept is read as unstructured objects, from the cache.
func clientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{Unstructured: true}}
}
