package serviceclaim

import (
	"context"
	"errors"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/render"
)

var errReset = errors.New("connection reset")

// crd is Argo CD's CRD of Applications, in one state of its life.
func crd(t *testing.T, state kube.State) *unstructured.Unstructured {
	t.Helper()
	u := kube.Like(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	u.SetName(argocd.ApplicationCRD)
	if state != kube.Coming {
		established := []any{map[string]any{"type": "Established", "status": "True"}}
		if err := unstructured.SetNestedSlice(u.Object, established, "status", "conditions"); err != nil {
			t.Fatal(err)
		}
	}
	if state == kube.Going {
		u.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
		u.SetFinalizers([]string{"customresourcecleanup.apiextensions.k8s.io"})
	}
	return &u
}

// application is the one that was made for a claim.
func application(claim *v1alpha1.ServiceClaim) *unstructured.Unstructured {
	u := kube.Named(argocd.ApplicationKind, "argocd", render.ApplicationName(claim))
	render.ClaimRef(claim).Stamp(u)
	u.SetLabels(map[string]string{v1alpha1.LabelOwner: render.ClaimRef(claim).Label(), v1alpha1.LabelTeam: claim.Spec.Team})
	u.SetFinalizers([]string{argocd.FinalizerForeground})
	return u
}

// reconciler works on a store with these objects; broken fails every read of a CRD.
func reconciler(t *testing.T, broken *bool, objects ...client.Object) *Reconciler {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	scheme.AddKnownTypeWithName(argocd.ApplicationKind, &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(argocd.GroupVersion.WithKind("ApplicationList"), &unstructured.UnstructuredList{})
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if *broken && key.Name == argocd.ApplicationCRD {
				return errReset
			}
			return c.Get(ctx, key, o, opts...)
		}}).Build()
	return &Reconciler{Client: c, Ensurer: kube.Ensurer{Cached: c, Live: c, Writer: c, Manager: Manager, Writes: &kube.Writes{}}}
}

func lost() *v1alpha1.ServiceClaim {
	return &v1alpha1.ServiceClaim{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "c-1"}, Spec: v1alpha1.ServiceClaimSpec{Team: "shop", Image: "nginx:1"}}
}

func remembered(r *Reconciler) bool {
	_, _, ok := r.fresh.Get("web", time.Now())
	return ok
}

// A claim that was lost is remembered until its Application is seen to be gone, or the
// CRD is known to be absent: a CRD that comes, goes or cannot be read proves nothing.
func TestLostIsRemembered(t *testing.T) {
	for name, c := range map[string]struct {
		state     kube.State
		broken    bool
		keeps, ok bool
	}{
		"no CRD":                    {kube.Absent, false, false, true},
		"a CRD that cannot be read": {kube.Absent, true, true, false},
		"a CRD that is coming":      {kube.Coming, false, true, false},
		"a CRD that is going":       {kube.Going, false, true, false},
		"nothing was made":          {kube.Served, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []client.Object
			if c.state != kube.Absent {
				objects = append(objects, crd(t, c.state))
			}
			r := reconciler(t, &c.broken, objects...)
			r.fresh.Note("web", lost(), time.Now())
			err := r.takeDownIfLost(t.Context(), lost())
			if (err == nil) != c.ok || remembered(r) != c.keeps {
				t.Errorf("it ends with %v, and remembered is %v, want %v", err, remembered(r), c.keeps)
			}
		})
	}
}

// Its Application is deleted, once, and only when that is gone the claim is forgotten.
func TestLostIsTakenDown(t *testing.T) {
	broken := false
	claim := lost()
	r := reconciler(t, &broken, crd(t, kube.Served), application(claim))
	r.fresh.Note(claim.Name, claim, time.Now())
	app := application(claim)
	for range 2 {
		if err := r.takeDownIfLost(t.Context(), claim); err != nil || !remembered(r) {
			t.Fatalf("with its Application there: %v, remembered is %v", err, remembered(r))
		}
		if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil || app.GetDeletionTimestamp() == nil {
			t.Fatalf("its Application is not being deleted: %v", err)
		}
	}
	app.SetFinalizers(nil)
	if err := r.Client.Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	if err := r.takeDownIfLost(t.Context(), claim); err != nil || remembered(r) {
		t.Errorf("with its Application gone: %v, remembered is %v", err, remembered(r))
	}
}

// One that is there after all is no longer doubted, and nothing of it is touched.
func TestNotLost(t *testing.T) {
	broken := false
	claim := lost()
	r := reconciler(t, &broken, crd(t, kube.Served), claim.DeepCopy(), application(claim))
	r.fresh.Note(claim.Name, claim, time.Now())
	app := application(claim)
	if err := r.takeDownIfLost(t.Context(), claim); err != nil || remembered(r) {
		t.Errorf("%v, remembered is %v", err, remembered(r))
	}
	if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil || app.GetDeletionTimestamp() != nil {
		t.Errorf("its Application was touched: %v", err)
	}
}

// Tries are counted claim by claim, and forgotten with a claim that went by any hand.
func TestTriesAreForgotten(t *testing.T) {
	broken := false
	there, gone, anew := lost(), lost(), lost()
	there.Name, there.UID = "there", "c-2"
	anew.Name, anew.UID = "anew", "c-3"
	stored := anew.DeepCopy()
	stored.UID = types.UID("c-4")
	r := reconciler(t, &broken, there.DeepCopy(), stored)
	for _, c := range []*v1alpha1.ServiceClaim{there, there, gone, anew} {
		r.again.add(c)
	}
	r.again.forgetGone(t.Context(), r.Client)
	if len(r.again.how) != 1 || r.again.count(there) != 2 || r.again.count(gone)+r.again.count(anew) != 0 {
		t.Errorf("it remembers %v", r.again.how)
	}
}
