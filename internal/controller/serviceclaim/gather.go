package serviceclaim

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// scope is all that was read about one claim, from the cache.
type scope struct {
	claim    *v1alpha1.ServiceClaim
	settings render.Settings
	// tenant is nil where there is none.
	tenant *v1alpha1.Tenant
	// desired is nil where it cannot be rendered; renderErr says why.
	desired   *unstructured.Unstructured
	renderErr error
	// hosts that the claim asks for and that are its own.
	hosts []string
	// application of ours, nil where there is none.
	application *unstructured.Unstructured
	// written says that the Application is there as rendered.
	written bool
}

func (r *Reconciler) gather(ctx context.Context, claim *v1alpha1.ServiceClaim) (*scope, error) {
	s := &scope{claim: claim}
	platform, err := found(ctx, r.Client, types.NamespacedName{Name: v1alpha1.PlatformName}, &v1alpha1.Platform{})
	if err != nil {
		return nil, fmt.Errorf("read Platform: %w", err)
	}
	s.settings = render.SettingsOf(platform)
	if s.tenant, err = found(ctx, r.Client, types.NamespacedName{Name: claim.Spec.Team}, &v1alpha1.Tenant{}); err != nil {
		return nil, fmt.Errorf("read Tenant %s: %w", claim.Spec.Team, err)
	}
	s.desired, s.renderErr = s.render(s.settings)
	if err := r.settleHosts(ctx, s); err != nil {
		return nil, err
	}
	if !r.ArgoCD.Present() {
		return s, nil
	}
	app := kube.Named(argocd.ApplicationKind, s.settings.ArgoCDNamespace, render.ApplicationName(claim))
	app, err = found(ctx, r.Cached, client.ObjectKeyFromObject(app), app)
	if err != nil {
		return nil, fmt.Errorf("read Application %s: %w", render.ApplicationName(claim), err)
	}
	if app != nil && owner.Compare(app, render.ClaimRef(claim)) != owner.Foreign {
		s.application = app
		s.keepChart()
	}
	return s, nil
}

// render makes the Application, and says on it whom the team has on call.
func (s *scope) render(settings render.Settings) (*unstructured.Unstructured, error) {
	app, err := render.Application(s.claim, settings)
	if err == nil && s.tenant != nil {
		render.OnCall(app, s.tenant.Spec.Contacts)
	}
	return app, err
}

// keepChart lets a service that was delivered be what it is when the Platform that
// named the chart is gone.
func (s *scope) keepChart() {
	if !errors.Is(s.renderErr, render.ErrNoChart) {
		return
	}
	settings := render.KeepChart(s.claim, s.settings, s.application)
	if desired, err := s.render(settings); err == nil {
		s.settings, s.desired, s.renderErr = settings, desired, nil
	}
}

// found reads an object; a nil pointer where it is absent.
func found[T client.Object](ctx context.Context, from client.Reader, key types.NamespacedName, into T) (T, error) {
	var none T
	err := from.Get(ctx, key, into)
	if apierrors.IsNotFound(err) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	return into, nil
}

// facts adds what proves that the claim runs, and hands all to the decision.
func (r *Reconciler) facts(ctx context.Context, s *scope, trouble *readiness.Trouble) (readiness.Claim, error) {
	in := readiness.Claim{
		Claim: s.claim, Tenant: s.tenant, ArgoCD: r.ArgoCD.Present(), Desired: s.desired, Trouble: trouble, Hosts: s.hosts,
	}
	in.Diagnosis.Findings, in.Diagnosis.Looked = r.Triage.Claim(s.claim.UID)
	if s.application != nil {
		app, err := argocd.Decode(s.application)
		if err != nil {
			in.Trouble = &readiness.Trouble{Reason: "ApplicationInvalid", Message: err.Error()}
			return in, nil
		}
		in.Application, in.ApplicationGoing = app, s.application.GetDeletionTimestamp() != nil
	}
	if s.claim.Spec.Source != nil {
		return in, r.workloads(ctx, &in)
	}
	return in, r.live(ctx, &in)
}
