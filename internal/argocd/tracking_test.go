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
