package install

import (
	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/render"
)

// Settings are those under which Demarc renders where it was installed here, for who wants to know what it will make.
func (d *Demarc) Settings() render.Settings {
	s := render.SettingsOf(&v1alpha1.Platform{Spec: v1alpha1.PlatformSpec{
		Chart: &v1alpha1.PlatformChart{RepoURL: d.ChartRepo, TargetRevision: d.ChartRevision},
	}})
	s.Impersonation = true // as the sandbox sets argocd.ImpersonationKey
	return s
}
