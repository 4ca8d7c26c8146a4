package adoption

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// Question is what is asked.
type Question struct {
	// Tenant as it would be, with spec.adopt.
	Tenant *v1alpha1.Tenant
	// Exists says that there is a Tenant of that name.
	Exists bool
	// Refused is what the API server says to the Tenant, in its own words, where it
	// would not take it.
	Refused string
	// Unasked says why it was not asked, where it was not.
	Unasked string
	// Server is the API server's version, such as v1.37: its Pod Security is asked.
	Server string
}

var (
	kindNamespace  = schema.GroupKind{Kind: "Namespace"}
	kindTenant     = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	kindPod        = schema.GroupKind{Kind: "Pod"}
	kindService    = schema.GroupKind{Kind: "Service"}
	kindConfigMap  = schema.GroupKind{Kind: "ConfigMap"}
	kindLimits     = schema.GroupKind{Kind: "LimitRange"}
	kindQuota      = schema.GroupKind{Kind: "ResourceQuota"}
	kindPlatform   = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Platform"}
	kindBinding    = schema.GroupKind{Group: rbacv1.GroupName, Kind: "RoleBinding"}
	kindNetworking = schema.GroupKind{Group: "networking.k8s.io", Kind: "NetworkPolicy"}
)

// preview collects what is found.
type preview struct {
	set      *snapshot.Set
	question Question
	settings render.Settings
	space    render.Space
	ns       snapshot.Object
	report   Report
}

// Preview answers from what was read. The error is an *ImpossibleError where the
// namespace cannot be adopted at all.
func Preview(set *snapshot.Set, q Question) (Report, error) {
	name := v1alpha1.NamespaceOf(q.Tenant.Name)
	if _, err := Team(name); err != nil {
		return Report{}, err
	}
	p := &preview{set: set, question: q, settings: Settings(set), ns: set.Get(kindNamespace, "", name)}
	p.report = Report{Namespace: name, Team: q.Tenant.Name, TenantExists: q.Exists, Refused: q.Refused, Unread: set.Unread()}
	if p.ns == nil {
		return p.report, p.absent(name)
	}
	if err := p.possible(); err != nil {
		return p.report, err
	}
	var err error
	if p.space, err = render.Tenant(q.Tenant, p.settings); err != nil {
		return p.report, fmt.Errorf("render Tenant %s: %w", q.Tenant.Name, err)
	}
	p.report.Owners = owners(p.ns)
	if q.Unasked != "" {
		p.note("%s", q.Unasked)
	}
	p.marks()
	p.objects()
	p.access()
	pods := p.pods()
	p.report.Budget = p.budget(pods)
	p.report.Refusals = p.refusals(pods)
	p.traffic(pods)
	return p.report, nil
}

// absent tells a namespace that is not there from one that may not be read.
func (p *preview) absent(name string) error {
	if u, missed := p.set.Missed(kindNamespace, "", name); missed {
		return errors.New("namespace " + name + " could not be read: " + u.String())
	}
	return &ImpossibleError{"there is no namespace " + name, "there is nothing to adopt: a Tenant " + p.question.Tenant.Name + " makes it"}
}

// Settings are the Platform's, and what Argo CD's own configuration says.
func Settings(set *snapshot.Set) render.Settings {
	var platform *v1alpha1.Platform
	if o := set.Get(kindPlatform, "", v1alpha1.PlatformName); o != nil {
		if decoded, err := snapshot.Into[v1alpha1.Platform](o); err == nil {
			platform = decoded
		}
	}
	s := render.SettingsOf(platform)
	if o := set.Get(kindConfigMap, s.ArgoCDNamespace, argocd.ConfigMap); o != nil {
		if cm, err := snapshot.Into[corev1.ConfigMap](o); err == nil {
			s.Impersonation = cm.Data[argocd.ImpersonationKey] == "true"
		}
	}
	return s
}

// objects compares what would be made with what stands in its place.
func (p *preview) objects() {
	ref := render.TenantRef(p.question.Tenant)
	for _, o := range p.space.All() {
		if o.GetKind() == kindNamespace.Kind {
			continue
		}
		made := Object{Name: name(o)}
		if live := p.set.Get(o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()); live != nil {
			if made.There = owner.Compare(live, ref) != owner.Foreign; !made.There {
				made.Conflict = owner.Describe(live)
			}
		} else {
			_, made.Unread = p.set.Missed(o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName())
		}
		p.report.Objects = append(p.report.Objects, made)
	}
	if !p.set.Serves(argocd.ProjectKind.GroupKind()) {
		p.note("Argo CD's kinds are not there: the AppProject is made when they come")
	}
}

// name names an object the way conditions do.
func name(o snapshot.Object) string {
	n := strings.ToLower(o.GetKind()) + "/" + o.GetName()
	if ns := o.GetNamespace(); ns != "" {
		n += " in " + ns
	}
	return n
}

func (p *preview) note(format string, args ...any) {
	p.report.Notes = append(p.report.Notes, fmt.Sprintf(format, args...))
}

// in lists the objects of a kind in the namespace, decoded; what does not decode is
// noted as not read.
func in[T any](p *preview, kind schema.GroupKind) (out []T) {
	for _, o := range p.set.Of(kind) {
		if o.GetNamespace() != p.report.Namespace {
			continue
		}
		decoded, err := snapshot.Into[T](o)
		if err != nil {
			p.report.Unread = append(p.report.Unread, snapshot.Unread{Verb: "decode", Group: kind.Group, Resource: kind.Kind,
				Namespace: o.GetNamespace(), Name: o.GetName(), Why: err.Error()})
			continue
		}
		out = append(out, *decoded)
	}
	return out
}

func sortMarks(marks []Mark) {
	slices.SortFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Key, b.Key) })
}
