package diagnosis

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	claimKind    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "ServiceClaim"}
	tenantKind   = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	platformKind = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
)

// whose knows which objects are of which claim, and which namespaces of which team.
type whose struct {
	set *snapshot.Set
	// teams by namespace.
	teams map[string]string
	// claims by name, and by each object that one tracks.
	claims map[string]*v1alpha1.ServiceClaim
	tracks map[finding.Object]string
	// known are objects that were asked about already.
	known map[finding.Object]string
}

func newWhose(set *snapshot.Set) *whose {
	w := &whose{set: set, teams: map[string]string{}, claims: map[string]*v1alpha1.ServiceClaim{}, tracks: map[finding.Object]string{},
		known: map[finding.Object]string{}}
	for _, o := range set.Of(tenantKind) {
		w.teams[v1alpha1.NamespaceOf(o.GetName())] = o.GetName()
	}
	platform := &v1alpha1.Platform{}
	if o := set.Get(platformKind, "", v1alpha1.PlatformName); o == nil || decode(o, platform) != nil {
		platform = nil
	}
	argo := render.SettingsOf(platform).ArgoCDNamespace
	for _, o := range set.Of(claimKind) {
		claim := &v1alpha1.ServiceClaim{}
		if decode(o, claim) != nil {
			continue // triage says that it cannot be read
		}
		w.claims[claim.Name] = claim
		w.tracks[finding.Object{Group: claimKind.Group, Kind: claimKind.Kind, Name: claim.Name}] = claim.Name
		w.tracks[finding.Object{Group: argocd.ApplicationKind.Group, Kind: argocd.ApplicationKind.Kind, Namespace: argo, Name: render.ApplicationName(claim)}] = claim.Name
	}
	for _, claim := range w.claims {
		w.inventory(claim)
	}
	return w
}

// inventory is what a claim's Application tracks in the team's own namespace. It lists what
// Git names, be it refused: what is elsewhere, or another claim, is none of it.
func (w *whose) inventory(claim *v1alpha1.ServiceClaim) {
	for _, i := range claim.Status.Inventory {
		o := finding.Object{Group: i.Group, Kind: i.Kind, Namespace: i.Namespace, Name: i.Name}
		if o.Namespace == v1alpha1.NamespaceOf(claim.Spec.Team) && cmp.Compare(w.tracks[o], claim.Name) <= 0 {
			w.tracks[o] = claim.Name // of two that track it always the same
		}
	}
}

func decode(o *unstructured.Unstructured, into any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into)
}

// concerned are the claims and the teams that a finding is about, that it keeps something of
// from running, or in which something follows from it.
func (w *whose) concerned(f finding.Finding) (claims []concerned, teams []string) {
	add := func(o finding.Object) {
		claim := w.claims[w.claimOf(o)]
		team := w.teams[o.Namespace]
		if claim != nil {
			team = claim.Spec.Team
			if c := (concerned{claim.UID, team}); !slices.Contains(claims, c) {
				claims = append(claims, c)
			}
		}
		if team != "" && !slices.Contains(teams, team) {
			teams = append(teams, team)
		}
	}
	all := append([]finding.Finding{f}, f.Folded...)
	for _, g := range all {
		if g.Team != "" && !slices.Contains(teams, g.Team) {
			teams = append(teams, g.Team)
		}
		add(g.Object)
		for _, o := range g.Affects {
			add(o)
		}
	}
	return claims, teams
}

// deepest is how many owners are asked: a CronJob's Job's Pod has two.
const deepest = 4

// claimOf is the claim that an object is of: what tracks it, what it says of itself in the
// claim's own namespace, or what its controller is of.
func (w *whose) claimOf(o finding.Object) string {
	name, known := w.known[o]
	if known {
		return name
	}
	for at, depth := o, 0; depth <= deepest; depth++ {
		if name = w.tracks[at]; name != "" {
			break
		}
		live := w.set.Get(schema.GroupKind{Group: at.Group, Kind: at.Kind}, at.Namespace, at.Name)
		if live == nil || at.Namespace == "" {
			break
		}
		// A label is anybody's word: it counts in the namespace of the claim's own team.
		if claim := w.claims[live.GetLabels()[v1alpha1.LabelClaim]]; claim != nil && v1alpha1.NamespaceOf(claim.Spec.Team) == at.Namespace {
			name = claim.Name
			break
		}
		owner := metav1.GetControllerOf(live)
		if owner == nil {
			break
		}
		gv, err := schema.ParseGroupVersion(owner.APIVersion)
		if err != nil {
			break
		}
		at = finding.Object{Group: gv.Group, Kind: owner.Kind, Namespace: at.Namespace, Name: owner.Name}
	}
	w.known[o] = name
	return name
}
