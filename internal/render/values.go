package render

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/api/v1alpha1"
)

// Refusal is why a claim is not rendered: it asks for what this platform has not, or does
// not give.
type Refusal struct {
	// Reason of the claim's condition, one of ownership.Reasons.
	Reason  string
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Values are what the chart gets: the claim, whose it is, and what the platform says to
// what the claim asks for. What a claim does not say is not among them, so that a claim
// that says nothing new is rendered by an older chart too.
func Values(c *v1alpha1.ServiceClaim, s Settings) (map[string]any, error) {
	v := map[string]any{
		"team":     c.Spec.Team,
		"claim":    c.Name,
		"image":    c.Spec.Image,
		"replicas": int64(Replicas(c)),
	}
	if c.Spec.Port != nil {
		v["port"] = int64(*c.Spec.Port)
	}
	if len(c.Spec.Env) > 0 {
		v["env"] = env(c.Spec.Env)
	}
	if s.Strict {
		v["podSecurity"] = "restricted"
	}
	if r := resources(c.Spec.Resources); len(r) > 0 {
		v["resources"] = r
	}
	said, err := road(c)
	if err != nil {
		return nil, err
	}
	maps.Copy(v, said)
	if len(c.Spec.Secrets) > 0 {
		if v["secrets"], err = secrets(c, s); err != nil {
			return nil, err
		}
	}
	if c.Spec.Expose != nil {
		if v["expose"], err = expose(c, s); err != nil {
			return nil, err
		}
	}
	if c.Spec.Metrics != nil {
		v["metrics"] = metrics(c.Spec.Metrics, s)
	}
	return v, nil
}

// road is what the claim says beside, as it says it, with what an empty field means put in:
// a chart cannot tell an empty field from none.
func road(c *v1alpha1.ServiceClaim) (map[string]any, error) {
	said := c.Spec.ClaimRoad.DeepCopy()
	said.Expose, said.Metrics, said.Secrets = nil, nil, nil
	if d := said.Disruption; d != nil && d.MinAvailable == nil && d.MaxUnavailable == nil {
		d.MaxUnavailable = ptr.To(one)
	}
	if d := said.Spread; d != nil && len(d.Over) == 0 {
		d.Over = []v1alpha1.SpreadOver{v1alpha1.OverNodes, v1alpha1.OverZones}
	}
	if a := said.Autoscaling; a != nil {
		a.Min = ptr.To(ptr.Deref(a.Min, 1))
		if a.CPU == nil && a.Memory == nil {
			a.CPU = ptr.To[int32](80)
		}
	}
	v, err := runtime.DefaultUnstructuredConverter.ToUnstructured(said)
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", c.Name, err)
	}
	if a := said.ServiceAccount; a != nil {
		v["serviceAccount"].(map[string]any)["token"] = a.Token
	}
	return v, nil
}

// secrets are those that are mounted, and those that are kept from the store with the
// whole of their entry.
func secrets(c *v1alpha1.ServiceClaim, s Settings) ([]any, error) {
	out := make([]any, 0, len(c.Spec.Secrets))
	for _, secret := range c.Spec.Secrets {
		one := map[string]any{"name": secret.Name}
		if secret.Path != "" {
			one["path"] = secret.Path
		}
		if secret.From != "" {
			if s.SecretStore == nil {
				return nil, &Refusal{"StoreNotConfigured", fmt.Sprintf("secrets[%s].from asks for an entry of the platform's store, and Platform/default has no spec.secretStore", secret.Name)}
			}
			one["store"], one["key"] = s.SecretStore.Name, s.SecretStore.Prefix+c.Spec.Team+"/"+secret.From
		}
		out = append(out, one)
	}
	return out, nil
}

func metrics(m *v1alpha1.ClaimMetrics, s Settings) map[string]any {
	v := map[string]any{
		"path": "/metrics", "interval": fmt.Sprintf("%ds", ptr.Deref(m.IntervalSeconds, 30)), "alerts": ptr.Deref(m.Alerts, true),
	}
	if m.Path != "" {
		v["path"] = m.Path
	}
	if m.Port != "" {
		v["port"] = m.Port
	}
	if len(s.MetricsLabels) > 0 {
		labels := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(s.MetricsLabels)) {
			labels[k] = string(s.MetricsLabels[k])
		}
		v["labels"] = labels
	}
	return v
}

// env is what a container's env is: the shape is the same.
func env(vars []v1alpha1.ClaimEnv) []any {
	out := make([]any, 0, len(vars))
	for _, e := range vars {
		one := map[string]any{"name": e.Name}
		switch {
		case e.ValueFrom == nil:
			one["value"] = e.Value
		case e.ValueFrom.SecretKeyRef != nil:
			one["valueFrom"] = map[string]any{"secretKeyRef": keyRef(e.ValueFrom.SecretKeyRef)}
		case e.ValueFrom.ConfigMapKeyRef != nil:
			one["valueFrom"] = map[string]any{"configMapKeyRef": keyRef(e.ValueFrom.ConfigMapKeyRef)}
		}
		out = append(out, one)
	}
	return out
}

func keyRef(r *v1alpha1.ClaimKeyRef) map[string]any {
	return map[string]any{"name": r.Name, "key": r.Key}
}
