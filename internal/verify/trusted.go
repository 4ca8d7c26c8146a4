package verify

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
)

// trustedHolders tells of the others, one note for each reason.
func (v *verifier) trustedHolders(by map[string][]finding.Evidence) {
	for reason, list := range by {
		v.add(finding.Finding{ID: Power, Severity: finding.Note, Object: list[0].Object, Evidence: list,
			Message: fmt.Sprintf("power over the cluster is held by %s and is trusted: %s", many(len(list), "binding"), reason), Mend: finding.Mend{Says: "nothing is to be done"}})
	}
}

// argoCDs are the accounts that Argo CD's own manifests make.
var argoCDs = []string{"argocd-application-controller", "argocd-applicationset-controller", "argocd-server", "argocd-repo-server",
	"argocd-dex-server", "argocd-notifications-controller", "argocd-redis"}

// trusted is the reason for which a holder is trusted; empty is that it is not.
func (v *verifier) trusted(s rbacv1.Subject, b *rbac.Binding) string {
	who := rbac.Of(s, b.Namespace)
	if reason := v.trustedByContract(who); reason != "" {
		return reason
	}
	ns, name, account := rbac.ParseAccount(who.User)
	switch {
	case kubernetesOwn(s, b):
		return "Kubernetes' own, by the names that it gives"
	case account && ns == v.operator && name == operatorName && b.Name == operatorName && b.Role.Name == operatorName:
		return "Demarc's operator, with the rights of the install"
	case account && ns == v.settings.ArgoCDNamespace && slices.Contains(argoCDs, name) && strings.HasPrefix(b.Role.Name, "argocd-"):
		return "Argo CD, with the rights of its own manifests"
	}
	return ""
}

func (v *verifier) trustedByContract(who rbac.Identity) string {
	for _, t := range v.contract.Spec.Trusted {
		switch {
		case t.User != "" && t.User == who.User, t.Group != "" && slices.Contains(who.Groups, t.Group),
			t.ServiceAccount != nil && who.User == rbac.Account(t.ServiceAccount.Namespace, t.ServiceAccount.Name).User:
			return "the contract trusts " + t.User + t.Group + account(t.ServiceAccount) + ": " + t.Reason
		}
	}
	return ""
}

func account(a *v1alpha1.TenantServiceAccount) string {
	if a == nil {
		return ""
	}
	return "ServiceAccount " + a.Namespace + "/" + a.Name
}

// kubernetesOwn are bindings that the API server makes, to whom it makes them.
func kubernetesOwn(s rbacv1.Subject, b *rbac.Binding) bool {
	if !strings.HasPrefix(b.Name, "system:") || !strings.HasPrefix(b.Role.Name, "system:") && b.Role.Kind != "Role" || !strings.HasPrefix(s.Name, "system:") {
		return false
	}
	wide := []string{rbac.Authenticated, rbac.Unauthenticated, rbac.AllAccounts, rbac.Anonymous}
	return s.Kind != rbacv1.ServiceAccountKind && !slices.Contains(wide, s.Name) && !strings.HasPrefix(s.Name, rbac.AllAccounts+":") &&
		!strings.HasPrefix(s.Name, "system:serviceaccount:")
}
