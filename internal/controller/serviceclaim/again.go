package serviceclaim

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/render"
)

// takeAgain makes the claim's Application once more, to be deleted at once: a sync
// that ran into the deletion may have made an object that Argo CD had not seen yet
// when it took stock. It syncs nothing. Where it cannot be made, or its project is
// gone and Argo CD would not act, what is left is named and waited for.
func (r *Reconciler) takeAgain(ctx context.Context, claim *v1alpha1.ServiceClaim) error {
	err := r.makeAgain(ctx, claim)
	if err == nil { // what failed was not tried: it is tried again
		r.again.forgetGone(ctx, r.Client)
		r.again.add(claim)
	}
	return err
}

func (r *Reconciler) makeAgain(ctx context.Context, claim *v1alpha1.ServiceClaim) error {
	platform, err := found(ctx, r.Client, types.NamespacedName{Name: v1alpha1.PlatformName}, &v1alpha1.Platform{})
	if err != nil {
		return err
	}
	settings := render.SettingsOf(platform)
	app, err := render.Application(claim, settings)
	if err != nil {
		return nil
	}
	project, err := r.GetLive(ctx, kube.Named(argocd.ProjectKind, settings.ArgoCDNamespace, render.ProjectName(claim.Spec.Team)))
	if err != nil || project == nil || project.GetDeletionTimestamp() != nil {
		return err
	}
	unstructured.RemoveNestedField(app.Object, "spec", "syncPolicy")
	if err := r.Writer.Create(ctx, app, client.FieldOwner(r.Manager)); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// tries counts how often Argo CD was told again, claim by claim. A restart counts anew.
// It outlives the Application, which goes after each try; with the claim it is forgotten.
type tries struct {
	mu  sync.Mutex
	how map[types.UID]try
}

// try is how often it was, and for which claim.
type try struct {
	claim string
	times int
}

func (t *tries) count(claim *v1alpha1.ServiceClaim) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.how[claim.UID].times
}

func (t *tries) add(claim *v1alpha1.ServiceClaim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.how == nil {
		t.how = map[types.UID]try{}
	}
	t.how[claim.UID] = try{claim.Name, t.how[claim.UID].times + 1}
}

func (t *tries) forget(claim *v1alpha1.ServiceClaim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.how, claim.UID)
}

// forgetGone forgets the claims that went without us: by another hand, or with their CRD.
// What cannot be read is kept.
func (t *tries) forgetGone(ctx context.Context, from client.Reader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for uid, one := range t.how {
		live, err := found(ctx, from, types.NamespacedName{Name: one.claim}, &v1alpha1.ServiceClaim{})
		if err == nil && (live == nil || live.UID != uid) {
			delete(t.how, uid)
		}
	}
}
