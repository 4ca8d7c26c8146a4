package argocd_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/argocd"
)

func TestTracks(t *testing.T) {
	for name, c := range map[string]struct {
		annotation, label string
		want              bool
	}{
		"by annotation":                      {annotation: "shop.web:apps/Deployment:team-shop/web", want: true},
		"in a namespace of its own":          {annotation: "argocd_shop.web:apps/Deployment:team-shop/web", want: true},
		"one of this name elsewhere":         {annotation: "other_shop.web:apps/Deployment:team-shop/web"},
		"another's, whose name begins so":    {annotation: "shop.web-2:apps/Deployment:team-shop/web"},
		"by label":                           {label: "shop.web", want: true},
		"the annotation outweighs the label": {annotation: "other:apps/Deployment:team-shop/web", label: "shop.web"},
		"nobody's":                           {},
	} {
		o := &metav1.ObjectMeta{Annotations: map[string]string{argocd.TrackingID: c.annotation}, Labels: map[string]string{"app.kubernetes.io/instance": c.label}}
		if got := argocd.Tracks(o, "argocd", "shop.web"); got != c.want {
			t.Errorf("%s: tracked is %v", name, got)
		}
	}
}

func TestParseTrackingID(t *testing.T) {
	for id, want := range map[string]argocd.Tracked{
		"shop.web:apps/Deployment:team-shop/web":       {Application: "shop.web", Group: "apps", Kind: "Deployment", Namespace: "team-shop", Name: "web"},
		"argocd_shop:/ConfigMap:team-shop/c":           {Application: "shop", ApplicationNamespace: "argocd", Kind: "ConfigMap", Namespace: "team-shop", Name: "c"},
		"shop:rbac.authorization.k8s.io/Role:ns/a:b:c": {Application: "shop", Group: "rbac.authorization.k8s.io", Kind: "Role", Namespace: "ns", Name: "a:b:c"},
		"claims:demarc.dev/ServiceClaim:/web":          {Application: "claims", Group: "demarc.dev", Kind: "ServiceClaim", Name: "web"},
	} {
		if got, ok := argocd.ParseTrackingID(id); !ok || got != want {
			t.Errorf("%s is %+v %v, want %+v", id, got, ok, want)
		}
	}
	for _, id := range []string{"", "shop", "shop:", ":apps/Deployment:a/b", "shop:Deployment:a/b", "shop:apps/:a/b", "shop:apps/Deployment:a", "shop:apps/Deployment:a/", "ns_:apps/Deployment:a/b"} {
		if got, ok := argocd.ParseTrackingID(id); ok {
			t.Errorf("%q is taken for %+v", id, got)
		}
	}
}
