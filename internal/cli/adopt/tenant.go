package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/ownership"
)

// read gets the Tenant of a team; nil where there is none.
func read(ctx context.Context, c client.Reader, team string) (*v1alpha1.Tenant, error) {
	t := &v1alpha1.Tenant{}
	err := c.Get(ctx, types.NamespacedName{Name: team}, t)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, exit.Unreadable(err, "read tenant "+team)
	case t.DeletionTimestamp != nil:
		return nil, exit.Refused("tenant "+team+" is being deleted", "wait until it is gone")
	}
	return t, nil
}

// tenant is the Tenant as it would be.
func (o *Options) tenant(team string, existing *v1alpha1.Tenant) (*v1alpha1.Tenant, error) {
	t := &v1alpha1.Tenant{}
	if existing != nil {
		t = existing.DeepCopy()
	}
	if o.File != "" {
		spec, err := o.file(team)
		if err != nil {
			return nil, err
		}
		t.Spec = spec
	}
	t.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "Tenant"}
	t.Name, t.Spec.Adopt = team, true
	return t, o.budget(t)
}

// file is the spec of the one Tenant in a file that is this team's.
func (o *Options) file(team string) (v1alpha1.TenantSpec, error) {
	docs, err := manifest.Read([]string{o.File}, o.IO.In, false)
	if err != nil {
		return v1alpha1.TenantSpec{}, exit.Failed(plain.Text(err.Error()), "")
	}
	for _, d := range docs {
		if d.Group() != v1alpha1.GroupName || d.Kind != "Tenant" || d.Name != team {
			continue
		}
		t := &v1alpha1.Tenant{}
		if err := d.Decode(t); err != nil {
			return t.Spec, exit.Failed(plain.Text(err.Error()), "")
		}
		return t.Spec, nil
	}
	return v1alpha1.TenantSpec{}, exit.Failed(fmt.Sprintf("there is no Tenant %s in %s", team, o.File), "the Tenant of namespace "+o.Namespace+" is called "+team)
}

// budget takes the flags over.
func (o *Options) budget(t *v1alpha1.Tenant) error {
	if o.CPU+o.Memory+o.Pods == "" {
		return nil
	}
	if t.Spec.Resources == nil {
		t.Spec.Resources = &v1alpha1.Budget{}
	}
	b := t.Spec.Resources
	if o.CPU != "" {
		cpu := intstr.FromString(o.CPU)
		b.CPU = &cpu
	}
	if o.Memory != "" {
		memory := intstr.FromString(o.Memory)
		b.Memory = &memory
	}
	if o.Pods != "" {
		pods, err := strconv.ParseInt(o.Pods, 10, 64)
		if err != nil || pods < 0 {
			return exit.Failed(fmt.Sprintf("--pods %q is no whole number of 0 or more", o.Pods), "")
		}
		b.Pods = &pods
	}
	if _, err := b.Amounts(); err != nil {
		return exit.Failed("the budget: "+err.Error(), "")
	}
	return nil
}

// write makes the Tenant, or sets spec.adopt and the budget on the very one that was
// looked at.
func write(ctx context.Context, c client.Client, tenant, existing *v1alpha1.Tenant) error {
	if existing == nil {
		return exit.Unwritten(c.Create(ctx, tenant), "create tenant "+tenant.Name)
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": existing.UID, "resourceVersion": existing.ResourceVersion},
		"spec":     map[string]any{"adopt": true, "resources": tenant.Spec.Resources},
	})
	if err != nil {
		return exit.Failed("cannot write the change of tenant "+tenant.Name+": "+err.Error(), "")
	}
	return exit.Unwritten(c.Patch(ctx, tenant, client.RawPatch(types.MergePatchType, patch)), "change tenant "+tenant.Name)
}

// look is how often the Tenant is looked at while it is waited for.
const look = 500 * time.Millisecond

// wait says how the namespace becomes the team's, until it is. A timeout of 0 is for ever.
func (o *Options) wait(ctx context.Context, c client.Reader, t *v1alpha1.Tenant) error {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if o.Timeout > 0 {
		waiting, cancel = context.WithTimeout(ctx, o.Timeout)
	}
	defer cancel()
	tick := time.NewTicker(look)
	defer tick.Stop()
	said, asked := "", t.Generation
	for {
		live := &v1alpha1.Tenant{}
		if err := c.Get(waiting, client.ObjectKeyFromObject(t), live); err != nil && waiting.Err() == nil {
			return exit.Unreadable(err, "read tenant "+t.Name)
		}
		ready := meta.FindStatusCondition(live.Status.Conditions, "NamespaceReady")
		if ready != nil && ready.ObservedGeneration >= asked {
			if text := ready.Reason + ": " + plain.Line(ready.Message); text != said {
				said = text
				fmt.Fprintln(o.IO.Out, text)
			}
			switch {
			case ready.Status == metav1.ConditionTrue:
				return nil
			case ownership.Reasons[ready.Reason].Stalled:
				return exit.Refused("adoption is incomplete, and waiting does not help: "+said, o.Program+" get tenant "+t.Name+" shows how it goes on")
			}
		}
		select {
		case <-ctx.Done():
			return exit.Failed("interrupted; the adoption goes on without this command", o.Program+" get tenant "+t.Name)
		case <-waiting.Done():
			return o.notYet(t, said)
		case <-tick.C:
		}
	}
}

// notYet ends the waiting when the time is up.
func (o *Options) notYet(t *v1alpha1.Tenant, said string) error {
	next := o.Program + " get tenant " + t.Name + " -o wide"
	what := fmt.Sprintf("namespace %s is not the team's after %s; ", o.Namespace, o.Timeout)
	if said == "" {
		return exit.Refused(what+"Demarc's operator has said nothing of the Tenant yet", takedown.SeeOperator+"; "+next)
	}
	return exit.Refused(what+"it goes on: "+said, next)
}
