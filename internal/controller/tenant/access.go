package tenant

import (
	"context"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/internal/owner"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/render"
)

// access makes the account and the bindings, then takes away what is no longer
// asked for. Bindings that give somebody something come first, so that a change
// of role leaves nobody without one in between.
func (p *parts) access() readiness.Step {
	bindings := slices.Clone(p.space.Access)
	giving := map[string]bool{}
	for _, b := range bindings {
		giving[b.GetName()] = p.gives(b)
	}
	sort.SliceStable(bindings, func(i, j int) bool { return giving[bindings[i].GetName()] && !giving[bindings[j].GetName()] })
	if err := p.letDeletedGo(bindings); err != nil {
		return readiness.Step{Trouble: p.trouble(err, "ObjectTaken")}
	}
	if trouble := p.ensure("ObjectTaken", append([]render.Object{p.space.Account}, bindings...)...); trouble != nil {
		return readiness.Step{Trouble: trouble}
	}
	if err := p.prune(bindings, "RoleBinding", "ClusterRoleBinding"); err != nil {
		return readiness.Step{Trouble: p.trouble(err, "ObjectTaken")}
	}
	return readiness.Step{Reason: "AccessReady", Message: "access is as the Tenant says"}
}

// letDeletedGo takes our finalizer off bindings that somebody deleted, so that they can
// be made anew: it holds them for a namespace that goes, and this one stays.
func (p *parts) letDeletedGo(bindings []render.Object) error {
	for _, b := range bindings {
		live := kube.Named(b.GroupVersionKind(), b.GetNamespace(), b.GetName())
		err := p.r.Cached.Get(p.ctx, client.ObjectKeyFromObject(live), live)
		if err != nil || live.GetDeletionTimestamp() == nil {
			if client.IgnoreNotFound(err) != nil {
				return err
			}
			continue
		}
		if owner.Compare(live, render.TenantRef(p.tenant)) == owner.Foreign {
			continue
		}
		if err := p.r.remove(p.ctx, live); err != nil {
			return err
		}
	}
	return nil
}

// gives reports whether a binding names somebody whom the live one does not.
func (p *parts) gives(desired render.Object) bool {
	live := kube.Named(desired.GroupVersionKind(), desired.GetNamespace(), desired.GetName())
	if err := p.r.Cached.Get(p.ctx, client.ObjectKeyFromObject(live), live); err != nil {
		return true
	}
	have, _, _ := unstructured.NestedSlice(live.Object, "subjects")
	want, _, _ := unstructured.NestedSlice(desired.Object, "subjects")
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h any) bool { return sameSubject(w, h) }) {
			return true
		}
	}
	return false
}

func sameSubject(a, b any) bool {
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	return x["kind"] == y["kind"] && x["name"] == y["name"] && x["namespace"] == y["namespace"]
}

// prune deletes objects of ours, of these kinds, that are no longer rendered.
func (p *parts) prune(desired []render.Object, kinds ...string) error {
	for _, gvk := range Kept {
		if !slices.Contains(kinds, gvk.Kind) {
			continue
		}
		ours, err := p.r.listOurs(p.ctx, p.tenant, gvk)
		if err != nil {
			return err
		}
		for i := range ours {
			o := &ours[i]
			if slices.ContainsFunc(desired, func(d render.Object) bool {
				return d.GetKind() == o.GetKind() && d.GetName() == o.GetName()
			}) {
				continue
			}
			if err := p.r.remove(p.ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// listOurs lists what carries this Tenant's label and UID, from the cache.
func (r *Reconciler) listOurs(ctx context.Context, t *v1alpha1.Tenant, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	return listOurs(ctx, r.Cached, t, gvk)
}

func listOurs(ctx context.Context, from client.Reader, t *v1alpha1.Tenant, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	ref := render.TenantRef(t)
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := from.List(ctx, list, client.MatchingLabels{v1alpha1.LabelOwner: ref.Label()}); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool {
		return owner.Compare(&u, ref) == owner.Foreign
	}), nil
}

// remove deletes one object of ours and takes our finalizer off it.
func (r *Reconciler) remove(ctx context.Context, o *unstructured.Unstructured) error {
	if err := r.Delete(ctx, o); err != nil {
		return err
	}
	if !slices.Contains(o.GetFinalizers(), v1alpha1.FinalizerAccess) {
		return nil
	}
	live, err := r.GetLive(ctx, o)
	if err != nil || live == nil {
		return err
	}
	rest := slices.DeleteFunc(live.GetFinalizers(), func(f string) bool { return f == v1alpha1.FinalizerAccess })
	return client.IgnoreNotFound(r.SetFinalizers(ctx, live, rest))
}

// overdrawn names what is used beyond the budget.
func overdrawn(s corev1.ResourceQuotaStatus) string {
	var over []string
	for name, hard := range s.Hard {
		if used := s.Used[name]; used.Cmp(hard) > 0 {
			over = append(over, string(name)+" "+used.String()+" of "+hard.String())
		}
	}
	sort.Strings(over)
	return strings.Join(over, ", ")
}
